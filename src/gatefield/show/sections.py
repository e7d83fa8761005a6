"""What the report says of each entry of a store."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pydantic

from gatefield import experiments
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab import DIVERGED, About, Entry, Experiment, Verdict, command, headline, written
from gatefield.show.pictures import Pictures, kept_pictures
from gatefield.show.setting import setting, short_command, store_option
from gatefield.show.shown import provenance, shown_of


@dataclass(frozen=True)
class Section:
    """A finished entry, ready to be laid out."""

    name: str
    id: str
    title: str
    source: str
    setting: str
    text: str
    pictures: Pictures
    verdicts: Sequence[Verdict]
    command: str
    path: str
    provenance: Sequence[tuple[str, str]]
    caption: str = ""
    more_caption: str = ""
    frames_caption: str = ""
    kept: str = ""
    """Why verdicts and figure are those that were kept, if they are."""

    @property
    def anchor(self) -> str:
        return f"{self.name}-{self.id}"

    @property
    def diverged(self) -> str:
        """Which of its runs diverged, in a sentence; empty if none did."""
        return dict(self.provenance).get(DIVERGED, "")

    @property
    def headline(self) -> str:
        """What was found, as it stands above the figure."""
        return headline(self.title, self.verdicts)

    @property
    def alt(self) -> str:
        """The figure in words."""
        return f"{self.headline}. {self.caption}" if self.caption else f"{self.headline}. {self.title}"

    @property
    def subject(self) -> str:
        """A key of `experiments.SUBJECTS`, the package it is from, or nothing for an experiment in a file."""
        return next((item.subject for item in experiments.listed() if item.name == self.name), "")

    @property
    def words(self) -> str:
        """What a search finds all of its claims by, beside the words of each."""
        captions = (self.caption, self.more_caption, self.frames_caption)
        return " ".join(" ".join([self.name, self.headline, self.title, self.source, self.text, *captions]).split())


@dataclass(frozen=True)
class Gap:
    """An entry with nothing to show: why, and what to do."""

    name: str
    path: str
    what: str
    command: str
    unfinished: bool = False


def read(entry: Entry, find: Callable[[str], Experiment]) -> Section | Gap:
    """The section of a finished entry, or the gap that an unfinished or unreadable one leaves."""
    where = store_option(Path(entry.path))
    again = command(entry.name, entry.parameters) + where if entry.parameters else ""
    if entry.problem:
        return _gap(entry, entry.problem, again)
    try:
        about = entry.about()
        again = command(about.origin or about.experiment, entry.parameters) + where
        try:
            experiment = find(about.experiment)
            experiment.Parameters(**entry.parameters)
            again = short_command(experiment, entry.parameters) + where
        except (UserError, pydantic.ValidationError) as error:
            return _without_experiment(entry, about, again, _why_kept(about, error))
        return _section(entry, experiment, again) if entry.status == "finished" else _unfinished(entry, again)
    except UserError as error:
        return _gap(entry, str(error), again)
    except Exception as error:  # one bad record must not cost the page
        return _gap(entry, f"It cannot be shown ({_reason(error)}); make it anew.", f"{again} --fresh")


def _reason(error: Exception) -> str:
    """In one line, and in words of ours where they are those of a library that readers do not know."""
    if isinstance(error, pydantic.ValidationError):
        return "some of what it keeps is not as it was written"
    return f"{type(error).__name__}: {quoted(str(error))[1:-1]}"


def _unfinished(entry: Entry, again: str) -> Gap:
    gap = _gap(entry, "It is not finished; the same command goes on from where it stopped.", again)
    return replace(gap, unfinished=True)


def _why_kept(about: About, error: Exception) -> str:
    """Why the experiment cannot be asked now."""
    if isinstance(error, pydantic.ValidationError):
        return "Its experiment has other parameters by now"
    if about.origin:
        return f"Its experiment is in {about.origin}, which `gatefield report {about.origin}` would ask"
    return "Its experiment cannot be loaded here"


def _section(entry: Entry, experiment: Experiment, again: str) -> Section:
    """Verdicts and figure as they follow from the record now."""
    shown = shown_of(experiment, entry)
    return Section(
        name=entry.name,
        id=entry.id,
        title=experiment.title,
        source=experiment.source,
        setting=setting(experiment, entry.parameters),
        text=experiment.text,
        caption=experiment.caption,
        more_caption=experiment.more_caption,
        frames_caption=experiment.frames_caption,
        pictures=shown.pictures,
        verdicts=shown.verdicts,
        command=again,
        path=str(entry.path),
        provenance=shown.provenance,
    )


def _without_experiment(entry: Entry, about: About, again: str, why: str) -> Section | Gap:
    """Verdicts and figure as they were kept when the experiment was last run."""
    pictures = kept_pictures(Path(entry.path))
    if entry.status != "finished":
        return _unfinished(entry, again)
    if pictures is None:
        return _gap(entry, f"{why}, and its figure was not kept; run it again.", again)
    record = entry.record()
    return Section(
        name=entry.name,
        id=entry.id,
        title=about.title,
        source=about.source,
        setting=", ".join(f"{name} = {written(value)}" for name, value in entry.parameters.items()),
        text=about.text,
        caption=about.caption,
        more_caption=about.more_caption,
        frames_caption=about.frames_caption,
        pictures=pictures,
        verdicts=entry.verdicts(),
        command=again,
        path=str(entry.path),
        provenance=provenance(record),
        kept=f"{why}; verdicts and figure are as they were when it was last run.",
    )


def _gap(entry: Entry, what: str, again: str) -> Gap:
    return Gap(name=str(entry.name), path=str(entry.path), what=what, command=again)


def data_address(content: bytes, kind: str = "image/svg+xml") -> str:
    """A picture or table as a data address: an image of its own, whose names and styles cannot meet those of another."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
