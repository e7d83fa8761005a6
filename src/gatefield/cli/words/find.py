"""From a word on the command line to experiments: the name of one, or a file of the user's own."""

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gatefield.core.errors import UserError
from gatefield.core.text.expanded import expanded
from gatefield.core.text.quoted import quoted

if TYPE_CHECKING:
    from gatefield.lab import Experiment


def names_file(word: str) -> bool:
    """Whether a word names a file with experiments, or one of those in it, and not an experiment.

    >>> names_file("my_study.py"), names_file("my_study.py:second"), names_file("localization")
    (True, True, False)
    """
    return re.fullmatch(r".+\.py(:[^:/]*)?", word) is not None


def parted(words: Sequence[str], settings: Sequence[str]) -> tuple[list[str], list[str]]:
    """Words that name experiments, each once, and settings: those of --set, and further words with an equals sign.

    >>> parted(["localization", "seed=1", "localization"], ["gain=3"])
    (['localization'], ['gain=3', 'seed=1'])
    """
    names = dict.fromkeys(word for word in words if "=" not in word)
    return list(names), [*settings, *(word for word in words if "=" in word)]


def find_experiments(word: str) -> "list[Experiment]":
    """The experiment of that name, or those in that file; what a file only imports from elsewhere is not its own."""
    from gatefield import experiments

    if not names_file(word):
        if word not in experiments.names():
            near = difflib.get_close_matches(word, experiments.names(), n=1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise UserError(
                f"Unknown experiment {quoted(word)}: {hint}`gatefield list` shows them all. "
                "One of your own is named by its file, as in `gatefield run FILE.py`."
            )
        return [experiments.get(word)]
    from gatefield.lab import load_study

    own = [study for study in load_study(word) if not _is_installed(study, word)]
    if not own:
        raise UserError(f"The file '{word}' has no Experiment of its own: run the one that it imports by its name.")
    return own


def check_own(word: str, store: Path, command: str) -> None:
    """See that a word is not the name of an experiment of the user's own in the store: its file is to be given."""
    from gatefield import experiments, lab

    if names_file(word) or word in experiments.names() or not expanded(store).is_dir():
        return
    entries = [holding.entry for holding in lab.holdings(lab.Store(store)) if holding.experiment == word]
    origins = [entry.about().origin for entry in entries if not entry.problem]
    for origin in filter(None, origins):
        raise UserError(f"The experiment {quoted(word)} is in a file: write `gatefield {command} {quoted(origin)[1:-1]}`.")


def _is_installed(study: "Experiment", word: str) -> bool:
    """Whether this is an experiment that is found by its name; another one of that name is refused."""
    from gatefield import experiments

    if study.name not in experiments.names():
        return False
    if experiments.get(study.name).simulate is not study.simulate:
        raise UserError(f"The experiment '{study.name}' in '{word}' has the name of one that is installed; rename it.")
    return True
