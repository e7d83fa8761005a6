"""The driver of a sweep over a cluster: gives orders, hears what became of them, and gives those of the dead again."""

import collections
import contextlib
import logging
import queue
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from gatefield.core.errors import StoreError, UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.store.lock import locked
from gatefield.lab.store.store import Store
from gatefield.lab.sweeps.cluster.asked import cluster_for
from gatefield.lab.sweeps.cluster.work import Order, Word, versions, work
from gatefield.lab.sweeps.drive import WAIT, Shard, Swept
from gatefield.lab.sweeps.failures import failure_of, note_failure
from gatefield.lab.sweeps.plan import FOLDER, Plan
from gatefield.lab.sweeps.planner import planned
from gatefield.lab.sweeps.sweep import Find, Sweep, in_file

TICK, LOOK, ANSWERS = 0.3, 1.0, 5.0
"""Seconds between looks at processes, and at the number of workers; and in which a scheduler must say that number."""
AHEAD = 2
"""Orders for each worker: one that it does and one that waits for it."""
LIVES = 5
"""How often dask may give an order up; it does so after it was with four workers that died."""
PATIENCE = 20.0
"""Seconds without any worker after which the driver says that it waits."""


@runtime_checkable
class Cluster(Protocol):
    """Where orders go."""

    def client(self) -> Any:
        """A client of dask.distributed."""
        ...

    def tend(self, client: Any) -> bool:
        """Start again what died; False if the client has to be asked for anew."""
        ...

    def landed(self) -> None:
        """A block was done."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


def run_on_cluster(
    sweep: Sweep,
    store: Store,
    cluster: str,
    *,
    shard: Shard = (1, 1),
    find: Find = in_file,
    progress: Callable[[int, int], object] = lambda done, total: None,
    say: Callable[[str], object] = lambda text: None,
) -> Swept:
    """Do all blocks of a sweep, or those of a shard, by the workers of a cluster, which write to the store themselves.

    A worker that dies costs what it had not committed of its block, which another one takes. When the driver dies, the same
    call goes on.

    **Arguments**

    - `sweep`: the sweep, as `read_sweep` gives it.
    - `store`: where plan, blocks and entries are kept; all workers must see it under the same path.
    - `cluster`: "local" or "local:N", the address of a scheduler as tcp://HOST:PORT, or "slurm".
    - `shard`: (i, n) for the i-th of n parts, every n-th block.
    - `find`: from the name of an experiment to the experiment, for workers too.
    - `progress`: called with the points done and the points in all.
    - `say`: called with what the user should know meanwhile.

    **Returns** the plan, and what went wrong.
    """
    place = cluster_for(cluster, sweep.definition.cluster)
    plan, remark = planned(store, sweep)
    with _quiet(), contextlib.closing(place), _token(store) as token:
        driver = _Driver(place, _Orders(store, sweep, plan, find, token), plan, progress, say)
        driver.run(list(range(plan.own))[shard[0] - 1 :: shard[1]])
    errors = {block: _errors(store, plan.blocks[block]) for block in driver.failed}
    return Swept(plan, errors, driver.computed, (remark,) if remark else ())


def _errors(store: Store, block: str) -> Mapping[int, str]:
    failure = failure_of(store, block)
    return {} if failure is None else failure.errors


class _Orders:
    """Makes the orders of a sweep."""

    def __init__(self, store: Store, sweep: Sweep, plan: Plan, find: Find, token: Path) -> None:
        self.store, self._plan, self._find, self._token = store, plan, find, token
        described = "recipe" not in plan.swept and not sweep.own
        self._sweep = sweep.definition if described else sweep

    def __call__(self, number: int) -> Order:
        return Order(
            store=self.store.root.absolute(),
            name=self._plan.name,
            sweep=self._sweep,
            find=self._find,
            number=number,
            block=self._plan.blocks[number],
            token=self._token,
            versions=versions(),
        )


class _Driver:
    """Gives orders to a cluster until all blocks are done."""

    def __init__(
        self,
        cluster: Cluster,
        orders: _Orders,
        plan: Plan,
        progress: Callable[[int, int], object],
        say: Callable[[str], object],
    ) -> None:
        self._cluster, self._orders, self._plan, self._progress, self._say = cluster, orders, plan, progress, say
        self._waiting: collections.deque[int] = collections.deque()
        self._resting: list[tuple[float, int]] = []  # when to ask again for blocks that another process has
        self._given: dict[Any, int] = {}
        self._heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._deaths: collections.Counter[int] = collections.Counter()
        self._workers, self._counted = 0, 0.0
        self._done, self._total, self._idle_since = 0, 0, time.monotonic()
        self.computed, self.failed = 0, list[int]()

    def run(self, blocks: list[int]) -> None:
        """Until all of these blocks are done."""
        self._waiting.extend(blocks)
        self._total = sum(len(self._plan.members[number]) for number in blocks)
        self._progress(0, self._total)
        while self._left():
            client, self._counted = self._cluster.client(), 0.0
            try:
                while self._left() and self._cluster.tend(client):
                    self._round(client)
            finally:
                self._waiting.extendleft(self._given.values())
                self._given.clear()
                _close(client)

    def _left(self) -> bool:
        return bool(self._waiting or self._given or self._resting)

    def _round(self, client: Any) -> None:
        """Give orders to whoever has none, and hear what became of others."""
        rested = [number for when, number in self._resting if when <= time.monotonic()]
        self._resting = [(when, number) for when, number in self._resting if number not in rested]
        self._waiting.extend(rested)
        self._give(client)
        with contextlib.suppress(queue.Empty):
            future = self._heard.get(timeout=TICK)
            if future in self._given:  # else it is of a client that is gone
                self._hear(self._given.pop(future), future)

    def _give(self, client: Any) -> None:
        if client.status != "running":
            return
        if time.monotonic() - self._counted > LOOK:
            self._workers, self._counted = _count_workers(client), time.monotonic()
            self._note(self._workers)
        while self._waiting and len(self._given) < AHEAD * self._workers:
            number = self._waiting.popleft()
            key = f"{self._plan.name}-{number}-{secrets.token_hex(4)}"  # of its own, or dask would give the last answer again
            future = client.submit(work, self._orders(number), key=key, pure=False)
            self._given[future] = number
            future.add_done_callback(self._heard.put)

    def _note(self, workers: int) -> None:
        """Say once in a while that there is no worker."""
        if workers:
            self._idle_since = time.monotonic()
        elif time.monotonic() - self._idle_since > PATIENCE:
            self._idle_since = time.monotonic()
            self._say("no worker is there yet; waiting for one")

    def _hear(self, number: int, future: Any) -> None:
        if future.status == "finished":
            self._take(future.result())
        elif future.status == "cancelled":
            self._waiting.appendleft(number)
        else:
            self._lost(number, future.exception())

    def _take(self, word: Word) -> None:
        match word.state:
            case "stopped":
                raise StoreError(word.text)
            case "refused":
                raise UserError(word.text)
            case "busy":
                self._resting.append((time.monotonic() + WAIT, word.number))
            case "left":
                self._waiting.appendleft(word.number)
            case _:
                self._count(word.number, word.state)

    def _count(self, number: int, state: str) -> None:
        points = len(self._plan.members[number])
        self._cluster.landed()
        self._done += points
        self.computed += points * (state == "done")
        if state == "failed":
            self.failed.append(number)
        self._progress(self._done, self._total)

    def _lost(self, number: int, error: BaseException | None) -> None:
        """An order without an answer: its workers died, or cannot read it."""
        from distributed import KilledWorker

        if not isinstance(error, KilledWorker):
            reason = quoted(str(error))[1:-1]
            raise UserError(
                f"A worker cannot do what it is told ({type(error).__name__}: {reason}): start workers in an environment with "
                f"{versions()}."
            )
        self._deaths[number] += 1
        if self._deaths[number] < LIVES:
            self._waiting.append(number)
            return
        text = f"Workers died {4 * LIVES} times with this block; it may need more memory than they have."
        note_failure(self._orders.store, self._plan.blocks[number], dict.fromkeys(range(len(self._plan.members[number])), text))
        self._count(number, "failed")


def _count_workers(client: Any) -> int:
    """The number of workers; none if the scheduler does not answer."""
    with contextlib.suppress(OSError, TimeoutError):
        return len(client.sync(client.scheduler.ncores, workers=None, callback_timeout=ANSWERS))
    return 0


def _close(client: Any) -> None:
    """Let go of a scheduler that may not be there any more."""
    with contextlib.suppress(Exception):
        client.close(timeout=2)


@contextlib.contextmanager
def _token(store: Store) -> Iterator[Path]:
    """A file that is held locked, by which workers see that they have the driver's store and its locks."""
    path = store.root.absolute() / FOLDER / f".driver-{secrets.token_hex(8)}.lock"
    with locked(path, "The driver"):
        try:
            yield path
        finally:
            with contextlib.suppress(OSError):
                path.unlink()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what dask says of connections that come and go: what matters is said by the driver."""
    import distributed  # noqa: F401  # it makes its loggers

    names = [
        name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("asyncio", "distributed", "tornado")
    ]
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
