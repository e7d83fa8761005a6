"""The house rules: imports go one way, no module is too long, importing sets nothing global, the README's commands exist."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "src").rglob("*.py"))
INNER_DOORS = {
    "cli.check.helpers": "faults/commands.py starts no processes for a check whose formulas it replaces",
    "cli.command_line": "faults/commands.py draws from all commands and options there are",
    "cli.programs.kept": "faults/readers.py damages programs that are kept",
    "cli.words.find": "faults/sweep_inputs.py finds experiments as the command does, without a process for each case",
    "data.images.fetch": "faults/commands.py fetches nothing",
    "dynamics.pace": "overhead.py trains in one piece, to see what dividing costs",
    "dynamics.train.engine": "gpu_engine.py times one call of the engine",
    "dynamics.train.gpu": "gpu_engine.py times the kernel by itself",
    "dynamics.train.problem": "gpu_engine.py sets up what the engine is called with",
    "dynamics.train.session": "the faults need commits sooner than every two seconds",
    "experiments.convolution.colour_images": "table4.py and precision.py train single rows of the table",
    "experiments.convolution.soft_gates_table": "table4.py compares with the numbers of the paper",
    "experiments.few_sites": "few_sites.py searches the states that the experiment looks up",
    "experiments.fields.late_localization": "few_sites.py and tables.py read the records of that experiment",
    "kernels.arrays": "gpu_engine.py times the products inside a kernel",
    "kernels.features": "gpu_engine.py times the products inside a kernel",
    "lab.bound": "full.py prints bounds as they are kept",
    "lab.sweeps.planner": "faults/commands.py plans sweeps and runs none",
    "lab.store.format": "faults/sweep_inputs.py seals what it has changed",
    "show.shown": "faults/readers.py damages what is kept of a report",
    "speed.cases.kernels": "kernel_memory.py measures the memory of the same sizes",
    "speed.entries": "faults/commands.py times nothing",
    "speed.peers": "kernel_memory.py measures the memory of the same peers",
}
"""What benchmarks enter that is no face, and why: they measure parts that users do not call."""


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
    return set(getattr(importlib.import_module(f"gatefield.{module}"), "__all__", ()))


def _private_door(chain: list[str]) -> bool:
    """Whether a dotted name goes through something that a face on its way does not name."""
    for depth in range(1, len(chain)):
        names = _face(".".join(chain[:depth]))
        if names is None:
            return False
        if chain[depth] not in names and not chain[depth].startswith("__"):
            return True
    return False


def _names(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """What is imported from gatefield: the name it has in the file, and the dotted way to it; by hand or by `import`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gatefield":
            yield from ((name.asname or name.name, [*node.module.split(".")[1:], name.name]) for name in node.names)
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "gatefield":
                    yield name.asname or "gatefield", name.name.split(".")[1:]


def _attributes(node: ast.AST) -> list[str]:
    """The words of a.b.c, from the first on; nothing if it does not begin with a name."""
    if isinstance(node, ast.Name):
        return [node.id]
    inner = _attributes(node.value) if isinstance(node, ast.Attribute) else []
    return [*inner, node.attr] if inner else []


def _entered(text: str) -> list[list[str]]:
    """All ways into gatefield that a file goes: what it imports, and what it takes of that by dots."""
    tree = ast.parse(text)
    names = list(_names(tree))
    known = {name: [] if name == "gatefield" else way for name, way in names}
    dotted = [_attributes(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return [way for _, way in names] + [[*known[words[0]], *words[1:]] for words in dotted if words and words[0] in known]


def _doors(path: Path, room: str) -> list[str]:
    """The private doors of rooms other than its own that a file goes through."""
    return sorted({".".join(way) for way in _entered(path.read_text()) if way and way[0] != room and _private_door(way)})


def test_rooms_are_entered_by_their_faces():
    rooms = {path: path.relative_to(ROOT / "src/gatefield").parts[0] for path in MODULES}
    assert {str(path): doors for path, room in rooms.items() if (doors := _doors(path, room))} == {}


def test_examples_and_benchmarks_enter_by_faces():
    files = [path for folder in ("benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")]
    doors = {(path.name, door) for path in files for door in _doors(path, "")}
    assert {(name, door) for name, door in doors if not door.startswith(tuple(INNER_DOORS))} == set()
    assert {inner for inner in INNER_DOORS if not any(door.startswith(inner) for _, door in doors)} == set()


def test_a_private_door_is_seen():
    assert _private_door(["theory", "relu", "geometry", "geometry"])
    assert _private_door(["data", "source", "Source"])
    assert not _private_door(["theory", "relu", "velocity"])
    assert not _private_door(["core", "ties", "side"])


@pytest.mark.parametrize(
    "text",
    [
        "from gatefield.theory.relu.geometry import geometry",
        "from gatefield.theory.relu import geometry as shapes",
        "import gatefield.theory.relu.geometry",
        "import gatefield.theory.relu.geometry as shapes",
        "import gatefield\ngatefield.theory.relu.geometry.geometry(1)",
        "from gatefield import theory\nf = theory.relu.geometry",
        "from gatefield.theory import relu as r\ndef f(): return r.geometry.geometry",
    ],
)
def test_every_way_of_import_is_seen(text, tmp_path):
    (tmp_path / "file.py").write_text(text)
    assert any(door.startswith("theory.relu.geometry") for door in _doors(tmp_path / "file.py", "measures"))
    assert _doors(tmp_path / "file.py", "theory") == []


def test_routes_import_nothing_of_gatefield():
    ways = {(path.stem, *way[:2]) for path in MODULES if path.parent.name == "routes" for way in _entered(path.read_text())}
    assert {way for way in ways if way[1:] != ("ledger", "routes")} == set()


def test_folders_are_subjects_not_heaps():
    sizes = {path.parent: 0 for path in MODULES}
    for path in MODULES:
        sizes[path.parent] += path.name != "__init__.py"
    assert {str(folder): size for folder, size in sizes.items() if size > 15} == {}
