"""The house rules: imports go one way, no module is too long, importing sets nothing global, the README's commands exist."""

import ast
import importlib
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


def test_modules_are_short():
    assert [path.stem for path in MODULES if len(path.read_text().splitlines()) > 400] == []


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


def _face(module: str) -> set[str] | None:
    """The names that a room or a package in it offers; None for a plain module, all of whose names are public."""
    path = ROOT / "src/gatefield" / module.replace(".", "/")
    if not path.is_dir():
        return None
    return set(importlib.import_module(f"gatefield.{module}").__all__)


def _private_door(chain: list[str]) -> bool:
    """Whether a dotted name goes through something that a face on its way does not name."""
    for depth in range(1, len(chain)):
        names = _face(".".join(chain[:depth]))
        if names is None:
            return False
        if chain[depth] not in names:
            return True
    return False


def _imports_of_other_rooms(path: Path) -> list[list[str]]:
    room = path.relative_to(ROOT / "src/gatefield").parts[0]
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gatefield."):
            parts = node.module.split(".")[1:]
            found += [[*parts, alias.name] for alias in node.names if parts[0] != room]
    return found


def test_rooms_are_entered_by_their_faces():
    inner = [path for path in MODULES if path.parent != ROOT / "src/gatefield"]
    doors = [
        f"{path.stem}: {'.'.join(chain)}" for path in inner for chain in _imports_of_other_rooms(path) if _private_door(chain)
    ]
    assert doors == []


def test_a_private_door_is_seen():
    assert _private_door(["theory", "relu", "geometry", "geometry"])
    assert _private_door(["data", "source", "Source"])
    assert not _private_door(["theory", "relu", "velocity"])
    assert not _private_door(["core", "ties", "side"])


def test_folders_are_subjects_not_heaps():
    sizes = {path.parent: 0 for path in MODULES}
    for path in MODULES:
        sizes[path.parent] += path.name != "__init__.py"
    assert {str(folder): size for folder, size in sizes.items() if size > 15} == {}
