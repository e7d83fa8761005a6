"""What the report says of each entry of a store."""

import base64
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatefield.core.errors import UserError
from gatefield.lab.experiment import Experiment, Verdict
from gatefield.lab.parameters import command
from gatefield.show.figures import draw, svg_text
from gatefield.show.setting import setting


@dataclass(frozen=True)
class Section:
    """A finished entry, ready to be laid out."""

    name: str
    id: str
    title: str
    source: str
    setting: str
    text: str
    figure: str
    verdicts: Sequence[Verdict]
    command: str
    path: str
    provenance: Sequence[tuple[str, str]]

    @property
    def anchor(self) -> str:
        return f"{self.name}-{self.id}"


@dataclass(frozen=True)
class Gap:
    """An entry with nothing to show: why, and what to do."""

    name: str
    path: str
    what: str
    command: str


def read(entry: Any, find: Callable[[str], Experiment]) -> Section | Gap:
    """The section of a finished entry, or the gap that an unfinished or unreadable one leaves."""
    where = _store_option(Path(entry.path))
    again = f"gatefield run {entry.name}{where}"
    if entry.problem:
        return _gap(entry, entry.problem, again)
    try:
        experiment = find(entry.name)
        again = command(experiment, experiment.Parameters(**entry.parameters)) + where
        if entry.status != "finished":
            return _gap(entry, "It is not finished; the same command goes on from where it stopped.", again)
        return _section(entry, experiment, again)
    except UserError as error:
        return _gap(entry, str(error), again)
    except Exception as error:  # one bad record must not cost the page
        return _gap(entry, f"It cannot be shown ({type(error).__name__}: {error}); make it anew.", f"{again} --fresh")


def _section(entry: Any, experiment: Experiment, again: str) -> Section:
    record = entry.record()
    return Section(
        name=entry.name,
        id=entry.id,
        title=experiment.title,
        source=experiment.source,
        setting=setting(experiment, entry.parameters),
        text=experiment.text,
        figure=_data_address(svg_text(draw(experiment, record))),
        verdicts=entry.verdicts(),
        command=again,
        path=str(entry.path),
        provenance=[(str(name), _plain(value)) for name, value in sorted(record.attrs.items()) if name != "command"],
    )


def _store_option(run: Path) -> str:
    """What the command needs to find the store again, unless it is the usual one."""
    store = run.parent.parent
    return "" if store == Path("gatefield-store") else f" --store {shlex.quote(str(store))}"


def _gap(entry: Any, what: str, again: str) -> Gap:
    return Gap(name=str(entry.name), path=str(entry.path), what=what, command=again)


def _data_address(svg: str) -> str:
    """The picture as a data address: an image of its own, whose names and styles cannot meet those of another."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _plain(value: Any) -> str:
    """An attribute as text; a table of values, or JSON of one, becomes one line for each."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, dict):
        return "\n".join(f"{name} = {json.dumps(item, ensure_ascii=False, default=str)}" for name, item in value.items())
    return str(value)
