"""Work that goes on in a thread of its own beside the next piece of the training, one thing after the other."""

import concurrent.futures
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Behind:
    """Does one thing at a time behind the caller; an error comes up where the next thing is given, or at the end.

    >>> done = []
    >>> behind = Behind()
    >>> behind.do(lambda: done.append(1), lambda: done.append("then"))
    >>> behind.do(lambda: done.append(2), lambda: None)
    >>> behind.wait()
    >>> behind.close()
    >>> done
    [1, 'then', 2]
    """

    def __init__(self) -> None:
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self._going: tuple[concurrent.futures.Future[Any], Callable[[], object]] | None = None

    def later(self, work: Callable[[], T]) -> concurrent.futures.Future[T]:
        """What `work` will give, after all that was given before."""
        return self._thread.submit(work)

    def do(self, work: Callable[[], object], then: Callable[[], object] = lambda: None) -> None:
        """Begin with `work` once the thing before is done; `then` is called here, when that is waited for."""
        self.wait()
        self._going = self._thread.submit(work), then

    def tell(self) -> None:
        """Call what was to come then, if the thing before is done by now."""
        if self._going is not None and self._going[0].done():
            self.wait()

    def wait(self) -> None:
        """Wait until nothing goes on."""
        going, self._going = self._going, None
        if going is not None:
            work, then = going
            work.result()
            then()

    def close(self) -> None:
        """Let what goes on come to its end."""
        self._thread.shutdown()
