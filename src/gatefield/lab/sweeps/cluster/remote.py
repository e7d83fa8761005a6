"""A cluster that somebody else started, at the address of its scheduler."""

import time
from typing import Any

from gatefield.core.errors import UserError

ANSWERS, GONE = 5.0, 15.0
"""Seconds in which a scheduler must answer at first, and again after its connection was lost."""


class Remote:
    """The cluster at an address such as tcp://10.0.0.1:8786."""

    def __init__(self, address: str) -> None:
        self._address, self._lost_since = address, None

    def client(self) -> Any:
        """A client of the scheduler."""
        from distributed import Client

        try:
            return Client(self._address, timeout=ANSWERS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise UserError(
                f"No scheduler answers at '{self._address}': start one there by `dask scheduler`, and workers by `dask worker "
                f"{self._address} --nthreads 1`, or give the address that it shows."
            ) from error

    def tend(self, client: Any) -> bool:
        """Always True, or an error: a scheduler that somebody else started is not ours to start again."""
        if client.status == "running":
            self._lost_since = None
            return True
        self._lost_since = self._lost_since or time.monotonic()
        if client.status == "closed" or time.monotonic() - self._lost_since > GONE:
            raise UserError(
                f"The scheduler at '{self._address}' does not answer any more: what was committed is kept; when it is up again "
                f"the same command goes on."
            )
        return True

    def landed(self) -> None:
        """Nothing to note."""

    def close(self) -> None:
        """It goes on without us."""
