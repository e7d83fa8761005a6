"""From the word after --cluster to a cluster."""

import importlib.util
import os
import re
from collections.abc import Mapping
from typing import Any

from gatefield.core.errors import UserError
from gatefield.core.machine import core_numbers
from gatefield.core.text.quoted import quoted
from gatefield.lab.sweeps.cluster.local import Local
from gatefield.lab.sweeps.cluster.options import read_options
from gatefield.lab.sweeps.cluster.remote import Remote
from gatefield.lab.sweeps.cluster.shares import shares, usable_gpus
from gatefield.lab.sweeps.cluster.slurm import Slurm

MOST = 256
"""Workers on one host; more is a slip of the finger."""


def cluster_for(word: Any, options: Mapping[str, Any]) -> Local | Remote | Slurm:
    """The cluster that a word names: local, local:N, the address of a scheduler, or slurm; `options` are those of [cluster]."""
    word = check_cluster(word)
    _check_installed()
    if word == "slurm":
        return Slurm(read_options(options))
    if not word.startswith("local"):
        return Remote(word)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the driver must leave the GPUs' memory to the workers
    count = int(word.partition(":")[2]) if ":" in word else None
    return Local(shares(count, core_numbers(), usable_gpus()))


def check_cluster(word: Any) -> str:
    """See that a word names a cluster.

    >>> check_cluster("local:2"), check_cluster("tcp://10.0.0.1:8786")
    ('local:2', 'tcp://10.0.0.1:8786')
    """
    if isinstance(word, str):
        local = re.fullmatch(r"local(?::([0-9]{1,6}))?", word)
        if (local and 1 <= int(local[1] or 1) <= MOST) or word == "slurm":
            return word
        address = re.fullmatch(r"(?:tcp|tls)://[\w.-]+:([0-9]{1,5})", word, re.ASCII)
        if address and 1 <= int(address[1]) <= 65535:
            return word
    raise UserError(
        f"A cluster is local, local:N with N from 1 to {MOST}, an address such as tcp://10.0.0.1:8786, or slurm, but is "
        f"{quoted(word)}."
    )


def _check_installed() -> None:
    if importlib.util.find_spec("distributed") is None or importlib.util.find_spec("dask_jobqueue") is None:
        raise UserError("A cluster needs dask.distributed, which is not installed: pip install 'gatefield[cluster]'.")
