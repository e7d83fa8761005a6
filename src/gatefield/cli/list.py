"""`gatefield list`."""

import dataclasses
from typing import Annotated

from tyro.conf import Positional, arg

from gatefield.cli.store_option import default_store
from gatefield.cli.words.find import check_own, find_experiments


@dataclasses.dataclass(frozen=True)
class List:
    """The experiments: what each shows, where it comes from, how long its presets take; of a named one, its parameters."""

    names: Annotated[tuple[str, ...], Positional, arg(metavar="[NAME...]", help_behavior_hint="")] = ()
    """Which experiments to describe in full, with their parameters: names, or files with experiments of your own."""

    def __call__(self) -> int:
        from rich.console import Console

        from gatefield import experiments
        from gatefield.show import describe_experiment, show_experiments

        for word in self.names:
            check_own(word, default_store(), "list")
            for experiment in find_experiments(word):
                describe_experiment(experiment, Console())
        if not self.names:
            show_experiments(experiments.listed(), experiments.SUBJECTS, Console())
        return 0
