"""The package as it is built."""

from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parent.parent


def test_the_built_package_says_that_it_has_types():
    """Without `py.typed` in it, type checkers ignore all annotations of an installed package."""
    built = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert {"gatefield/py.typed", "gatefield/__init__.py"} <= built
