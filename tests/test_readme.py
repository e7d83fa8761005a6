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
