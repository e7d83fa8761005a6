"""`gatefield`, with commits as often as asked for, killed at one of its file operations, or with these counted.

    python benchmarks/faults/child.py --commit SECONDS --below FOLDER [--kill-at K] [--count-to FILE] -- run localization ...

A file operation is a file opened for writing, a rename, a folder made, a file or folder removed, or a flush to the disk, below
FOLDER; the process is killed right before the K-th. The count is written when the process ends by itself.
"""

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"}


class Operations:
    """Counts file operations, and ends the process right before one of them."""

    def __init__(self, below: str, kill_at: int) -> None:
        self.below, self.kill_at, self.count = below, kill_at, 0

    def heard(self, event: str, args: tuple[Any, ...]) -> None:
        """What Python's audit hooks hear of."""
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        if (writes or event in CHANGES) and str(args[0]).startswith(self.below):
            self.next()

    def next(self) -> None:
        self.count += 1
        if self.count == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        fsync = os.fsync

        def flush(file: Any) -> None:
            self.next()
            fsync(file)

        os.fsync = flush  # type: ignore[assignment]
        sys.addaudithook(self.heard)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--commit", type=float, default=2.0)
    parser.add_argument("--below", default="/nowhere")
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--count-to", type=Path)
    parser.add_argument("words", nargs="+")
    options = parser.parse_args()
    from gatefield.cli import main as gatefield
    from gatefield.dynamics.train import session

    session.SECONDS_PER_COMMIT = options.commit
    operations = Operations(options.below, options.kill_at)
    operations.install()
    sys.argv = ["gatefield", *options.words]  # as the command itself is started, with its streams and signals
    code = gatefield()
    if options.count_to:
        options.count_to.write_text(str(operations.count))
    return code


if __name__ == "__main__":
    sys.exit(main())
