"""Compiled programs, given back."""

import contextlib
import ctypes
import gc

import jax


def forget_programs() -> None:
    """Give back the memory of all programs compiled so far.

    A training, a flow or a covariance of another shape compiles a program of its own, and keeps it for the next time: about
    15 to 25 MB for each number of sites. So does each function object: a lambda that is made anew for each training, in
    `observe` or as a loss, compiles each time, where one that is kept compiles once. A long session over many shapes need not
    keep them; what is used again is compiled again.

    >>> forget_programs()  # doctest: +SKIP
    """
    jax.clear_caches()
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # freed memory goes back to the system where the C library is asked
        ctypes.CDLL("libc.so.6").malloc_trim(0)
