"""What an experiment is."""

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

import pydantic
import xarray as xr
from matplotlib.figure import Figure


class Parameters(pydantic.BaseModel):
    """The parameters of one experiment: frozen, checked, and with no field that is not declared."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", validate_default=True, ser_json_inf_nan="strings")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One claim, what was expected, what was measured, and whether it holds.

    `expected` and `measured` are numbers; `tolerance` says in words how far apart they may be.
    `note` carries what a reader should know beside the numbers.
    """

    claim: str
    expected: float
    measured: float
    tolerance: str
    holds: bool
    note: str = ""


class Bench(Protocol):
    """What an experiment is given to work with: trainings go through it, so that they are recorded, resumed and shown."""

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> xr.Dataset:
        """`gatefield.train`, as the named part of the experiment."""
        ...


class Experiment(abc.ABC):
    """A question put to theory and simulation: parameters -> record -> verdicts -> figure.

    To add one: a new file `experiments/_my_name.py` with a final subclass that sets the class variables and the three methods,
    and one line in `experiments/__init__.py`. It then has its command-line options, its place in the report, its contract test.
    """

    name: ClassVar[str]
    """Short, with hyphens: what `gatefield run` takes."""
    title: ClassVar[str]
    """One line: what is shown."""
    source: ClassVar[str]
    """Which figure, table or section it reproduces."""
    text: ClassVar[str]
    """A paragraph for the report: what is asked, how, and how to read the figure."""
    Parameters: ClassVar[type[Parameters]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]]
    """Preset name -> parameter values that differ from the defaults. `quick`, `full`, and `tiny` for tests."""
    durations: ClassVar[Mapping[str, str]]
    """Preset name -> how long it takes on two CPU cores, in words."""

    @abc.abstractmethod
    def simulate(self, parameters: Any, bench: Bench) -> xr.Dataset:
        """Run it: the record, theory beside simulation."""

    @abc.abstractmethod
    def verdicts(self, record: xr.Dataset) -> Sequence[Verdict]:
        """What the record says of each claim."""

    @abc.abstractmethod
    def figure(self, record: xr.Dataset) -> Figure:
        """The picture, drawn from the record alone."""
