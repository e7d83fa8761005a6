"""neural-tangents in a process of its own, whose Python may have the older JAX that it needs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gatefield.speed.peers.gated_network import Size

PYTHON = "GATEFIELD_NEURAL_TANGENTS"
"""The variable that names the Python which has neural-tangents, if it is not this one (0.6.5 needs a JAX before 0.5)."""
IN_A_ROW = 5
"""Kernels per request, so that sending it costs nothing beside them."""


class Structured:
    """Answers one request at a time. Ends when it is closed, or when this process ends."""

    def __init__(self) -> None:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"}
        command = [os.environ.get(PYTHON, sys.executable), str(Path(__file__).with_name("structured_server.py"))]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, text=True, env=environment, **pipes)
        self.ready = self._read() == "ready"

    def by_structure(self, size: Size, kind: str) -> Callable[[], list[float]]:
        """What asks for `IN_A_ROW` kernels and gives the first row of one of them."""
        return lambda: self._ask([*size, kind, IN_A_ROW])

    def close(self) -> None:
        self._process.communicate()

    def _ask(self, request: list[Any]) -> list[float]:
        assert self._process.stdin
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return json.loads(self._read())

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()
