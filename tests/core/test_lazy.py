"""Packages whose names are loaded when they are first used."""

import subprocess
import sys

import pytest

PACKAGE = """
from gatefield.core.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, {"heavy": ["weigh"], "light.feather": ["fly", "land"]})
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with two modules, one of them in a folder, which note that they were loaded."""
    folder = tmp_path / "lazy_example"
    (folder / "light").mkdir(parents=True)
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "heavy.py").write_text("def weigh(): return 'much'\n")
    (folder / "light" / "__init__.py").write_text("")
    (folder / "light" / "feather.py").write_text("fly, land = 'up', 'down'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import lazy_example

    yield lazy_example
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazy_example"]:
        del sys.modules[name]


def test_a_name_loads_its_module_and_no_other(package):
    assert "lazy_example.heavy" not in sys.modules
    assert package.fly == "up"
    assert "lazy_example.light.feather" in sys.modules
    assert "lazy_example.heavy" not in sys.modules
    assert package.weigh() == "much"


def test_names_are_listed_before_they_are_loaded(package):
    assert package.__all__ == dir(package) == ["fly", "land", "weigh"]
    assert "lazy_example.heavy" not in sys.modules
    from lazy_example import land

    assert land == "down"


def test_another_name_is_refused_as_usual(package):
    with pytest.raises(AttributeError, match="module 'lazy_example' has no attribute 'flee'"):
        package.flee  # noqa: B018
    assert not hasattr(package, "heavier")


def test_the_packages_own_names_are_there():
    program = "import gatefield, sys; from gatefield import *; assert {'train', 'Grid', 'Verdict'} <= set(dir())"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_programs_can_be_given_back():
    """In a process of its own, as all others would have to compile theirs again."""
    program = """
import jax
from gatefield import forget_programs
traced = []
double = jax.jit(lambda x: traced.append(1) or 2 * x)
for _ in range(2):
    assert (double(3.0), double(3.0)) == (6.0, 6.0)
    forget_programs()
assert len(traced) == 2
"""
    subprocess.run([sys.executable, "-c", program], check=True)
