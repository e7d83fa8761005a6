"""What a worker does: one block, and the word that the driver gets of it."""

import contextlib
import dataclasses
import functools
import platform
import signal
import threading
from pathlib import Path
from typing import Any, Literal

import jax

from gatefield.core.errors import StoreError, UserError
from gatefield.core.version import __version__
from gatefield.lab.store.lock import is_locked
from gatefield.lab.store.store import Store
from gatefield.lab.sweeps.definition.definition import Definition
from gatefield.lab.sweeps.do_block import do_block
from gatefield.lab.sweeps.plan import Plan, read_plan
from gatefield.lab.sweeps.sweep import Find, Sweep, made_sweep

PATIENCE = 20.0
"""Seconds in which a worker that is asked to go must have committed; a commit comes about every two."""
_ONE_AT_A_TIME = threading.Lock()
"""A worker may have several threads, but a block fills what the worker has."""


def versions() -> str:
    """What decides the bits of a block, and must be the same everywhere."""
    return f"gatefield {__version__}, JAX {jax.__version__}"


@dataclasses.dataclass(frozen=True)
class Order:
    """A block to be done. `sweep` is the driver's, or the definition that makes it: a store is data, and what stands in it must
    not decide which code a worker runs. `token` is a file that the driver holds locked, by which a worker sees that it has the
    same store."""

    store: Path
    name: str
    sweep: Sweep | Definition
    find: Find
    number: int
    block: str
    token: Path
    versions: str


@dataclasses.dataclass(frozen=True)
class Word:
    """What became of an order: as `BlockOutcome` says; `left`, since the worker had to go; `refused`, since no block can be
    done by this worker; or `stopped` by the store. The last two have a sentence."""

    number: int
    state: Literal["done", "found", "busy", "failed", "left", "refused", "stopped"]
    text: str = ""


def work(order: Order) -> Word:
    """Do one block, in a worker: nothing but a word travels back, the store has the rest."""
    from distributed import get_worker
    from distributed.core import Status

    worker = get_worker()
    heed_sigterm(worker)

    def stop(part: str, steps: int, total: int) -> None:  # called right after commits
        if worker.status in (Status.closing, Status.closing_gracefully, Status.closed):
            raise KeyboardInterrupt

    if problem := problem_here(order):
        return Word(order.number, "refused", problem)
    with _ONE_AT_A_TIME:
        try:
            stop("", 0, 0)
            sweep, plan = _planned(order)
            outcome = do_block(Store(order.store), sweep, order.number, progress=stop, plan=plan)
        except KeyboardInterrupt:
            return Word(order.number, "left")
        except UserError as error:
            return Word(order.number, "stopped", str(error))
    return Word(order.number, outcome.state)


@functools.lru_cache(maxsize=1)
def heed_sigterm(worker: Any) -> None:
    """Let SIGTERM, by which clusters take hosts back, end this worker once its block has committed."""

    def close(*_: object) -> None:
        worker.loop.add_callback(worker.close, timeout=PATIENCE, reason="SIGTERM")

    def install() -> None:
        with contextlib.suppress(ValueError):  # in a thread beside the main one, which hears signals itself
            signal.signal(signal.SIGTERM, close)

    worker.loop.add_callback(install)


def problem_here(order: Order) -> str:
    """Why this process cannot do the order, in one sentence; empty if it can."""
    host = platform.node()
    if order.versions != versions():
        return (
            f"The worker on {host} has {versions()} and the driver has {order.versions}: results could differ; start workers "
            f"in the driver's environment."
        )
    if not order.token.is_file():
        return (
            f"The worker on {host} does not see the store '{order.store}' of the driver: choose a folder by --store that all "
            f"hosts share."
        )
    if not is_locked(order.token):
        return (
            f"On {host} locks of the driver's host are not seen in the store '{order.store}', so that two processes could "
            f"write the same block: choose a folder by --store on a disk whose locks reach all hosts."
        )
    return ""


def _planned(order: Order) -> tuple[Sweep, Plan]:
    """The sweep and its plan, as they were for earlier orders; read anew if the plan is another by now."""
    for read in (_read, _read.__wrapped__):
        plan = read(order.store, order.name)
        if order.number < len(plan.blocks) and plan.blocks[order.number] == order.block:
            return _sweep(order), plan
    raise StoreError(f"The plan of {order.name} was changed while the sweep went on: run the same command again.")


@functools.lru_cache(maxsize=1)
def _read(root: Path, name: str) -> Plan:
    plan = read_plan(Store(root), name)
    if plan is None:
        raise StoreError(f"The plan of {name} is gone from the store '{root}': run the same command again.")
    return plan


_LAST: dict[str, Sweep] = {}
"""The sweep of the last order, by its name, which is a hash of what it is."""


def _sweep(order: Order) -> Sweep:
    if isinstance(order.sweep, Sweep):
        return order.sweep
    if order.name not in _LAST:
        _LAST.clear()
        _LAST[order.name] = made_sweep(order.sweep, order.find)
    return _LAST[order.name]
