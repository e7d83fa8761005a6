"""The table [cluster] of a sweep's TOML: how jobs of SLURM are asked for."""

import re
from collections.abc import Mapping
from typing import Any

import pydantic

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted

_TIME = re.compile(r"(\d{1,3}-)?\d{1,3}:\d{2}(:\d{2})?")
_MEMORY = re.compile(r"\d{1,6}(\.\d{1,3})? ?(kB|MB|GB|TB|KiB|MiB|GiB|TiB)")


class Options(pydantic.BaseModel):
    """How jobs are asked for; each job is one worker.

    - `jobs`: how many jobs work at once.
    - `queue`, `account`, `walltime`: as `sbatch` has them; by default those of the cluster.
    - `cores`, `memory`, `gpus`: of each job.
    - `modules`: modules that a job loads before it starts.
    - `prologue`: lines of shell that a job runs before it starts, such as `source .venv/bin/activate`.
    - `directives`: further options of `sbatch`, such as `--constraint=a100`.
    - `interface`: the network interface by which jobs reach the driver, such as ib0.
    - `logs`: a folder for what jobs say.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", strict=True)

    jobs: int = 1
    queue: str | None = None
    account: str | None = None
    walltime: str | None = None
    cores: int = 1
    memory: str = "4GB"
    gpus: int = 0
    modules: list[str] = []
    prologue: list[str] = []
    directives: list[str] = []
    interface: str | None = None
    logs: str | None = None


_WHOLE = {"jobs": (1, 10_000), "cores": (1, 1024), "gpus": (0, 64)}
_LISTS = ("modules", "prologue", "directives")
_FORMS = {
    "walltime": (_TIME, "hours:minutes:seconds, such as '04:00:00', or days-hours:minutes:seconds"),
    "memory": (_MEMORY, "a number with its unit, such as '4GB'"),
}


def read_options(table: Mapping[str, Any]) -> Options:
    """The options that a table names, checked.

    >>> read_options({"jobs": 8, "queue": "gpu", "gpus": 1}).cores
    1
    """
    for name, value in table.items():
        if name not in Options.model_fields:
            raise unknown_name("option under [cluster]", name, Options.model_fields)
        _check(name, value)
    return Options.model_validate(dict(table))


def _check(name: str, value: Any) -> None:
    if name in _WHOLE:
        low, high = _WHOLE[name]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise UserError(f"'{name}' under [cluster] must be a whole number from {low} to {high}, but is {quoted(value)}.")
    elif name in _LISTS:
        if not isinstance(value, list) or not all(_is_line(item) for item in value):
            raise UserError(f"'{name}' under [cluster] must be a list of texts of one line each, but is {quoted(value)}.")
    elif not _is_line(value):
        raise UserError(f"'{name}' under [cluster] must be a text of one line, but is {quoted(value)}.")
    elif name in _FORMS and not _FORMS[name][0].fullmatch(value):
        raise UserError(f"'{name}' under [cluster] must be {_FORMS[name][1]}, but is {quoted(value)}.")


def _is_line(value: Any) -> bool:
    """Whether this is a text that cannot end a line of a script."""
    return isinstance(value, str) and value.isprintable() and value.strip() != ""
