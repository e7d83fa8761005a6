"""neural-tangents in a process of its own, whose Python may have the older JAX that it needs."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gatefield.core.errors import UserError
from gatefield.speed.peers.gated_network import Size
from gatefield.speed.peers.present import installed

PYTHON = "GATEFIELD_NEURAL_TANGENTS"
"""The variable that names the Python which has neural-tangents, if it is not this one (0.6.5 needs a JAX before 0.5)."""
IN_A_ROW = 5
"""Kernels per request, so that sending it costs nothing beside them."""


class Structured:
    """Answers one request at a time. Ends when it is closed, or when this process ends."""

    def __init__(self) -> None:
        self._process = self._started() if PYTHON in os.environ or installed("neural_tangents") else None
        self.ready = self._process is not None and self._read() == "ready"

    def _started(self) -> "subprocess.Popen[str] | None":
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"}
        command = [os.environ.get(PYTHON, sys.executable), str(Path(__file__).with_name("structured_server.py"))]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        try:
            return subprocess.Popen(command, text=True, env=environment, **pipes)
        except OSError:  # no such Python
            return None

    def by_structure(self, size: Size, kind: str) -> Callable[[], list[float]]:
        """What asks for `IN_A_ROW` kernels and gives the first row of one of them."""
        return lambda: self._ask([*size, kind, IN_A_ROW])

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()

    def _ask(self, request: list[Any]) -> list[float]:
        assert self._process
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # no answer will come, either
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        answer = self._read()
        if not answer:
            raise UserError(f"The process of neural-tangents ended in the middle of its work: leave {PYTHON} unset.")
        return json.loads(answer)

    def _read(self) -> str:
        assert self._process
        assert self._process.stdout
        return self._process.stdout.readline().strip()
