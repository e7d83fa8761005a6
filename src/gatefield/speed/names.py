"""The cases by name; light, so that a shell can complete them."""

from collections.abc import Sequence

from gatefield.core.errors import unknown_name

CASES = {
    "training": "online SGD of committees, against loops in PyTorch and JAX",
    "kernels": "the tangent kernel, against Jacobians and other formulas",
    "paths": "exact paths of gated linear networks, against an ODE solver",
    "exact": "drifts and orthants, against SciPy",
    "start": "time to the first result in a new process",
    "growth": "how cost grows with size, beside the exponent expected",
}
"""Name -> what is measured. `cases/NAME.py` has its contests, as `entries(quick)`."""


def chosen(names: Sequence[str]) -> list[str]:
    """The cases of these names, each once; all of them if none is named.

    >>> chosen(["paths", "exact", "paths"])
    ['paths', 'exact']
    """
    for name in names:
        if name not in CASES:
            raise unknown_name("case", name, CASES)
    return list(dict.fromkeys(names)) or list(CASES)
