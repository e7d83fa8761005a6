"""What each worker of a host may use: its share of the cores, and one GPU where there are some."""

import os
from collections.abc import Sequence
from typing import NamedTuple

import jax

MEMORY = 0.9
"""Of a GPU's memory, what its workers take in all."""


class Share(NamedTuple):
    """Cores by their numbers, and settings of the environment."""

    cores: tuple[int, ...]
    environment: dict[str, str]


def usable_gpus() -> list[str]:
    """The GPUs that this process sees, as `CUDA_VISIBLE_DEVICES` names them."""
    count = sum(device.platform == "gpu" for device in jax.local_devices())
    named = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    return named[:count] if len(named) >= count else [str(number) for number in range(count)]


def shares(workers: int | None, cores: Sequence[int], gpus: Sequence[str]) -> list[Share]:
    """A share for each worker; by default there are as many as GPUs, or else as cores.

    Without shares each worker would start as many threads as the host has cores, and they would wait for each other.

    >>> [share.cores for share in shares(2, [0, 1, 2, 3], [])], [share.cores for share in shares(3, [4, 5], [])]
    ([(0, 1), (2, 3)], [(4,), (5,), (4,)])
    >>> [share.environment["CUDA_VISIBLE_DEVICES"] for share in shares(None, [0, 1, 2], ["0", "3"])]
    ['0', '3']
    """
    count = workers or len(gpus) or len(cores)
    return [Share(_cores(number, count, cores), _gpu(number, count, gpus)) for number in range(count)]


def _cores(number: int, count: int, cores: Sequence[int]) -> tuple[int, ...]:
    if count >= len(cores):
        return (cores[number % len(cores)],)
    return tuple(cores[number * len(cores) // count : (number + 1) * len(cores) // count])


def _gpu(number: int, count: int, gpus: Sequence[str]) -> dict[str, str]:
    if not gpus:
        return {}
    together = -(-count // len(gpus))
    return {"CUDA_VISIBLE_DEVICES": gpus[number % len(gpus)], "XLA_PYTHON_CLIENT_MEM_FRACTION": f"{MEMORY / together:.3f}"}
