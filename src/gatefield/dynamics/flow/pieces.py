"""An integration in pieces: what one piece leaves, the next one takes over.

A piece is a number of steps, given as data to one compiled program, and it hands on all that diffrax's loop carries from step
to step, so that the pieces change no bit of the result.
"""

from typing import Any

import diffrax
import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int


class Begin(diffrax.AbstractAdjoint):
    """Makes no step: what the loop carries at the start is the `solver_state` of the solution."""

    def loop(self, *, init_state: Any, **_: Any) -> tuple[Any, dict[str, Any]]:
        """The start."""
        return _with_carried(init_state, init_state), {}


class GoOn(diffrax.AbstractAdjoint):
    """Takes over what was `carried`, and goes on until `stop` steps are made in all; hands it on as `Begin` does.

    The solution is that of an integration with at most `stop` steps.
    """

    carried: Any
    stop: Int[Array, ""]

    def loop(
        self, *, throw: bool, passed_solver_state: bool, passed_controller_state: bool, **settings: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Diffrax's loop over steps, begun elsewhere."""
        del throw, passed_solver_state, passed_controller_state
        reached = []

        def steps(more: Any, step: Any, start: Any, **how: Any) -> Any:
            del start
            end = eqxi.while_loop(lambda now: more(now) & (now.num_steps < self.stop), step, self.carried, kind="lax", **how)
            reached.append(end)
            return end

        saves = eqx.Partial(eqxi.while_loop, kind="lax")
        end, statistics = self._loop(outer_while_loop=steps, inner_while_loop=saves, **settings)
        return _with_carried(end, reached[0]), statistics


def _with_carried(state: Any, carried: Any) -> Any:
    """The only place of a solution for what else there is; as arrays, which one program both takes and gives."""
    arrays = jax.tree.map(lambda leaf: lax.convert_element_type(leaf, jnp.result_type(leaf)), carried)
    return eqx.tree_at(lambda state: state.solver_state, state, arrays, is_leaf=lambda leaf: leaf is None)
