"""The house rules: imports go one way, no module is too long, importing sets nothing global, the README's commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "src").rglob("*.py"))


def test_imports_go_one_way(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


def test_every_room_is_a_layer():
    text = (ROOT / "pyproject.toml").read_text()
    rooms = {p.parent.name for p in (ROOT / "src/gatefield").glob("*/__init__.py")}
    assert rooms <= set(re.findall(r'^  "(\w+)",$', text, flags=re.M))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_modules_are_short(path):
    assert len(path.read_text().splitlines()) <= 400


def test_import_changes_no_global_setting():
    code = (
        "import gatefield, jax, numpy as np\n"
        "from gatefield.data import NonlinearGP\n"
        "from gatefield.theory import relu\n"
        "assert NonlinearGP(8, 1.0, 3.0).covariance().dtype == np.float64\n"
        "assert not jax.config.jax_enable_x64 and jax.numpy.ones(1).dtype == np.float32\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_is_light():
    code = "import sys, gatefield; assert not {'jax', 'xarray', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_top_level_names():
    import gatefield

    for name in gatefield.__all__:
        assert getattr(gatefield, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        gatefield.trian  # noqa: B018


def test_make_targets_of_the_readme_exist():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.M))
    assert set(re.findall(r"(?:^|`)make (\w+)", (ROOT / "README.md").read_text(), flags=re.M)) <= targets
