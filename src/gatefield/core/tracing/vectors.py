"""Programs that use the whole width of a CPU's vector registers."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
from jax.core import Tracer

WIDE = {"xla_cpu_prefer_vector_width": 512}
"""XLA uses half of the registers of a CPU with AVX-512, lest old ones lower their clock. For others this changes nothing."""


def wide_jit(function: Callable[..., Any]) -> "Compiled":
    """`eqx.filter_jit` of a function, on a CPU with vectors of full width; random numbers are made twice as fast so.

    >>> int(wide_jit(lambda x: x + 1)(jax.numpy.ones((), int)))
    2
    """
    return Compiled(function)


class Compiled:
    """A function as it is compiled for the device that is in use."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(arguments)):  # options are those of the outer program
            return self._function(*arguments)
        return _jitted(self._function, jax.default_backend())(*arguments)

    def lower(self, *arguments: Any) -> Any:
        """The program before it is compiled."""
        return _jitted(self._function, jax.default_backend()).lower(*arguments)


@functools.cache
def _jitted(function: Callable[..., Any], backend: str) -> Any:
    jit: Any = eqx.filter_jit  # its signature names no options of jax.jit
    return jit(function, compiler_options=WIDE if backend == "cpu" and _known() else {})


@functools.cache
def _known() -> bool:
    """Whether this version of XLA has the option."""
    try:
        jax.jit(lambda: 0, compiler_options=WIDE).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
