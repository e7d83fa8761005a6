"""What an experiment is."""

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import pydantic
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.lab.bench import Bench
from gatefield.lab.verdict import Verdict


class Parameters(pydantic.BaseModel):
    """The parameters of one experiment: frozen, checked, and with no field that is not declared.

    >>> from gatefield.lab import kinds
    >>> class MyParameters(Parameters):
    ...     n: kinds.Count = 40
    ...     xi: kinds.LengthScale = 2.0
    >>> MyParameters(xi=1)
    MyParameters(n=40, xi=1.0)
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", validate_default=True, ser_json_inf_nan="strings")

    @pydantic.field_validator("*", mode="before")
    @classmethod
    def _truth_is_no_number(cls, value: Any, info: Any) -> Any:
        """True is not 1, and 1 is not true."""
        name = str(info.field_name)
        wanted = _wanted(cls, name)
        if wanted == {bool} and not isinstance(value, bool):
            raise UserError(f"{name} must be true or false, but is {quoted(value)}; write for instance {name}=true.")
        if wanted & {int, float} and bool not in wanted and _has_truth(value):
            rule = "a whole number" if float not in wanted else "a number"
            raise UserError(f"{name} must be {rule}, but is {quoted(value)}; write for instance {name}=1.")
        return value


@functools.cache
def _wanted(cls: type[Parameters], name: str) -> set[Any]:
    """The plain types of a parameter; points of a sweep ask for them many times."""
    return _parts(cls.model_fields[name].annotation)


def _parts(kind: Any) -> set[Any]:
    """The plain types that a type is made of."""
    if get_origin(kind) in (Annotated, Literal):
        return _parts(get_args(kind)[0]) if get_origin(kind) is Annotated else {Literal}
    return set().union(*map(_parts, get_args(kind))) if get_args(kind) else {kind}


def _has_truth(value: Any) -> bool:
    return any(map(_has_truth, value)) if isinstance(value, list | tuple) else isinstance(value, bool)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Experiment:
    """A question put to theory and simulation: parameters -> record -> verdicts and figure.

    To add one, write a file with

    1. a subclass of `Parameters`, whose fields have types (see `gatefield.lab.kinds`) and defaults;
    2. `simulate(parameters, bench)`, which gives the record, an `xarray.Dataset`; trainings go through `bench.train`;
    3. `verdicts(record)` and `figure(record)`, functions of the record alone, which are computed whenever it is read;
    4. one value of this class, at the end.

    `gatefield run my_study.py` runs it. A package that is installed offers its own by an entry point of the group
    `gatefield.experiments`, name -> value. Inside gatefield the file lies in the folder of its subject; `make index` lists it.

    >>> import numpy as np
    >>> from gatefield.lab import MemoryBench, Verdict
    >>> class Size(Parameters):
    ...     n: int = 5
    >>> parabola = Experiment(
    ...     name="parabola",
    ...     title="Squares grow",
    ...     Parameters=Size,
    ...     simulate=lambda p, bench: xr.Dataset({"square": ("x", np.arange(p.n) ** 2.0)}),
    ...     verdicts=lambda record: [Verdict.equals("the last is the largest", record.square[-1], record.square.max())],
    ...     figure=lambda record: Figure(),
    ... )
    >>> record = parabola.simulate(Size(), MemoryBench())
    >>> parabola.verdicts(record)[0].outcome
    'confirmed'
    """

    name: str
    """Short, with hyphens: what `gatefield run` takes."""
    title: str
    """One line: what is shown."""
    Parameters: type[Parameters]
    simulate: Callable[[Any, Bench], xr.Dataset]
    """Run it: the record, theory beside simulation."""
    verdicts: Callable[[xr.Dataset], Sequence[Verdict]]
    """What the record says of each claim."""
    figure: Callable[[xr.Dataset], Figure]
    """The picture, drawn from the record alone."""
    source: str = ""
    """Which figure, table or section it reproduces."""
    text: str = ""
    """A paragraph for the report: what is asked, and how it is answered."""
    caption: str = ""
    """How to read the figure, panel by panel: "(a) ... (b) ..."; with what is drawn it also makes the text for those who do not
    see it."""
    more: Callable[[xr.Dataset], Figure] | None = None
    """A second picture, of what the first has no room for."""
    more_caption: str = ""
    """How to read that one."""
    frames: Callable[[xr.Dataset], Mapping[str, Figure]] | None = None
    """Pictures of one kind along a parameter or time, label -> picture, which a page shows one at a time."""
    frames_caption: str = ""
    """How to read those, and what changes from one to the next."""
    presets: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=lambda: {"quick": {}})
    """Preset name -> parameter values that differ from the defaults; `quick` is what runs unless another is named."""
    durations: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Preset name -> how long it takes on two CPU cores, in words."""
    origin: str = ""
    """The file that it was loaded from, as `gatefield run` takes it; empty for one that is found by its name."""
    code: str = ""
    """A hash of that file, which tells whether a record was made by it as it is now."""

    def __repr__(self) -> str:
        return f"Experiment({self.name!r})"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", self.name):
            raise UserError(
                f"The name of an experiment must be small letters and digits with hyphens between them, such as my-study, "
                f"but is {self.name!r}."
            )
        if not (isinstance(self.Parameters, type) and issubclass(self.Parameters, Parameters)):
            raise UserError(
                f"The parameters of experiment {self.name} must be a subclass of gatefield.lab.Parameters, but are "
                f"{self.Parameters!r}."
            )
        for part in ("simulate", "verdicts", "figure"):
            if not callable(getattr(self, part)):
                raise UserError(f"{part} of experiment {self.name} must be a function, but is {getattr(self, part)!r}.")
        if "quick" not in self.presets:
            raise UserError(f"Experiment {self.name} needs a preset 'quick', which runs unless another is named.")
        for values in self.presets.values():
            for name in values:
                if name not in self.Parameters.model_fields:
                    raise unknown_name(f"parameter in a preset of experiment {self.name}", name, self.Parameters.model_fields)
