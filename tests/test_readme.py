"""The README's Python runs as it stands, and its commands parse."""

import re
import shlex
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_python_blocks_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    assert len(blocks) >= 2
    space: dict = {}
    for block in blocks:
        # The published training lengths take a while; the shape of the result does not depend on them.
        exec(block.replace("steps=2000", "steps=20").replace("batch_size=500", "batch_size=50"), space)
    assert capsys.readouterr().out
    assert space["path"].fields.shape == (1, 3, 1, 40)


@pytest.mark.parametrize("command", re.findall(r"^\| `gatefield (.*?)` \|", README, flags=re.M))
def test_commands_are_known(command, capsys):
    from gatefield.cli import main

    name = shlex.split(command)[0]
    try:
        code = main([name, "--help"])
    except SystemExit as stop:
        code = stop.code
    assert not code
    assert name in capsys.readouterr().out


def test_the_ledger_is_counted_right():
    from gatefield.ledger import formulas

    words = " ".join(README.split())
    found = re.search(
        r"Of (\d+) formulas and claims .*?, (\d+) are printed wrong and corrected here, (\d+) are refuted.*?; (\d+) more", words
    )
    assert found
    printed = [formula.status for formula in formulas() if formula.source != "sheet"]
    counts = [len(printed), printed.count("corrected"), printed.count("refuted"), len(formulas()) - len(printed)]
    assert [int(n) for n in found.groups()] == counts


def test_every_place_of_the_map_is_there():
    folders = Path(__file__).parent.parent / "src" / "gatefield"
    house = README.partition("## The house")[2].partition("`tests/` mirrors")[0]
    rooms = re.findall(r"^\| `(\w+)` \|", house, re.MULTILINE)
    assert set(rooms) == {path.parent.name for path in folders.glob("*/__init__.py")}
    places = [place for place in re.findall(r"`(\w+/[\w/]*(?:\.py)?)`", house) if place.partition("/")[0] in rooms]
    assert len(places) > 10
    assert [place for place in places if not (folders / place).exists()] == []


def test_every_experiment_is_in_the_table_and_leads_to_its_claims():
    from gatefield import experiments

    found = re.findall(r"^\| \[`([\w-]+)`\]\((benchmarks/results/full/\w+\.md)#([\w-]+)\) \|", README, re.MULTILINE)
    assert sorted(name for name, _, _ in found) == sorted(experiments.names())
    root = Path(__file__).parent.parent
    assert [name for name, page, at in found if at != name or f"\n## {name}\n" not in (root / page).read_text()] == []


def test_links_lead_to_files_that_are_there():
    root = Path(__file__).parent.parent
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(links) > 5
    assert [link for link in links if not (root / link).exists()] == []
