"""Gates that do not depend on the input."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import leaf
from gatefield.gates.gate import Gate, gate_inputs


class Constant(Gate):
    """The same for every input: `Constant(1.0)` is always open, `Constant(0.0)` always shut.

    >>> import numpy as np
    >>> Constant(1.0)(np.zeros((2, 3))).tolist()
    [1.0, 1.0]
    """

    value: Float[Exact, "*runs"] = leaf(0)

    def __init__(self, value: Any = 1.0) -> None:
        self.value = checks.real("value", value, "between 0 and 1", lambda g: (g >= 0) & (g <= 1))
        if np.ndim(self.value) > 1 or not np.size(self.value):
            shape = np.shape(value)
            raise UserError(f"value must be one number, or one for each run, but has shape {shape}; write Constant(1.0).")

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        return jnp.broadcast_to(real(self.value), gate_inputs(self, x).shape[:-1])


class Open(Constant):
    """The gate that is always open: `Constant(1.0)`.

    >>> import numpy as np
    >>> Open()(np.zeros((2, 3))).tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__(1.0)


class Shut(Constant):
    """The gate that is always shut: `Constant(0.0)`.

    >>> import numpy as np
    >>> Shut()(np.zeros((2, 3))).tolist()
    [0.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__(0.0)
