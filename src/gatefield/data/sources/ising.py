"""The Ising model, on a ring or a line."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.precision import real
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.numerics.correlation import BOUNDARIES, lag_matrix
from gatefield.data.numerics.cube import corners
from gatefield.data.source import Source, Support

_STRONG = 40.0  # beyond, the rare kind of bond has probability below 1e-34 and nothing changes any more
_WEAK = 0.5  # below, powers of tanh J are smooth at 0; above, logarithms keep 1 - |tanh J|
_MOST_LISTED = 16  # sites whose 65,536 states are listed


class Ising(Source):
    r"""Signs with a nearest-neighbour coupling: the simplest correlated law on the corners of the cube.

    $$P(s) \propto \exp(J \sum_i s_i s_{i+1}), \qquad E\,s_i s_{i+m} = \frac{t^m + t^{n-m}}{1 + t^n}, \quad t = \tanh J$$

    with J the coupling. On a line the sum has n-1 terms and $E\,s_i s_j = t^{|i-j|}$. Samples are exact: bonds are broken
    one after the other, each with its probability given those before and that the ring must close; their derivative in J is 0,
    that of the covariance is exact at every J.

    **Arguments**

    - `n`: number of sites.
    - `coupling`: J, of either sign.
    - `boundary`: "ring" or "line".

    >>> import jax, numpy as np
    >>> chain = Ising(40, coupling=1.0)
    >>> print(np.round(chain.covariance()[0, :3], 6))
    [1.       0.761604 0.580047]
    >>> print(np.unique(chain.sample(jax.random.key(0), 5)))
    [-1.  1.]

    **Source:** the transfer matrix solution (Ising, 1925).
    """

    n: int = eqx.field(static=True)
    coupling: Parameter
    boundary: str = eqx.field(static=True)

    def __init__(self, n: int, coupling: Any, *, boundary: str = "ring") -> None:
        self.n = checks.count("n", n)
        self.coupling = checks.finite("coupling", coupling)
        self.boundary = checks.choice("boundary", boundary, BOUNDARIES)

    @property
    def symmetric(self) -> bool:
        return True

    def sampler(self) -> Draw:
        chances, parity = self._chances()
        negative = real(self.coupling) < 0

        def step(carry: tuple[Array, Array], inputs: tuple[Array, Array]) -> tuple[tuple[Array, Array], Array]:
            spin, odd = carry
            uniform, chance = inputs
            rare = 1 - uniform <= jnp.where(odd, chance[1], chance[0])
            spin = jnp.where(rare ^ negative, -spin, spin)
            return (spin, odd ^ rare), spin

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            first_key, bond_key = jax.random.split(key)
            first = jax.random.rademacher(first_key, (size,), real(0.0).dtype)
            uniform = jax.random.uniform(bond_key, (self.n - 1, size))
            odd = jnp.broadcast_to(parity, (size,))
            _, rest = jax.lax.scan(step, (first, odd), (uniform, chances))
            return jnp.concatenate([first[None], rest]).T

        return draw

    def _chances(self) -> tuple[Float[Array, "bonds 2"], Array]:
        """Chance that a bond is of its rare kind, given that those left must hold an even or odd number; and that parity.

        The rare kind is broken for J >= 0 and whole for J < 0, with probability q = 1/(1 + exp(2|J|)); the ring closes if
        the number of broken bonds is even. An odd number among m bonds has probability (1 - |t|^m)/2.
        """
        rare, log_t = _rare(real(self.coupling))
        if self.boundary == "line":
            return jnp.broadcast_to(rare, (self.n - 1, 2)), jnp.array(False)
        left = np.arange(self.n, 1, -1)
        odd, odd_after = (-jnp.expm1(m * log_t) / 2 for m in (left, left - 1))
        chances = rare * jnp.stack([odd_after / (1 - odd), (1 - odd_after) / odd], axis=1)
        return chances, (real(self.coupling) < 0) & (self.n % 2 == 1)

    def _support(self) -> Support | None:
        if self.n > _MOST_LISTED:
            return None
        spins = corners(self.n)
        bonds = spins * np.roll(spins, -1, axis=1)
        energy = bonds.sum(axis=1) if self.boundary == "ring" else bonds[:, :-1].sum(axis=1)
        return Support(real(spins), jax.nn.softmax(real(self.coupling) * real(energy)))

    def _characteristic(self, w: Float[Array, " n"]) -> Complex[Array, ""]:
        r"""By the transfer matrix: the bonds' probabilities M, and the phases $D_i = \operatorname{diag}(e^{iw_i}, e^{-iw_i})$.

        On a ring it is $\operatorname{tr}\prod_i(D_iM)/(1+t^n)$, on a line $\tfrac12\,1^\top D_1MD_2\cdots MD_n1$. On a ring
        of odd n with J below -10 digits are lost: both traces nearly vanish there.
        """
        phases = jnp.exp(1j * jnp.outer(w, real([1.0, -1.0])))
        bond = jax.nn.sigmoid(2 * real(self.coupling) * real([[1.0, -1.0], [-1.0, 1.0]])).astype(phases.dtype)

        def step(product: Array, phase: Array) -> tuple[Array, None]:
            return jnp.matmul(product * phase, bond, precision="highest"), None

        if self.boundary == "line":
            ahead, _ = jax.lax.scan(step, jnp.full(2, 0.5, phases.dtype), phases[:-1])
            return jnp.sum(ahead * phases[-1])
        around, _ = jax.lax.scan(step, jnp.eye(2, dtype=phases.dtype), phases)
        return jnp.trace(around) / (1 + jnp.tanh(real(self.coupling)) ** self.n)

    def _covariance(self) -> Float[Exact, "n n"]:
        coupling = real(self.coupling)
        lag = np.arange(self.n // 2 + 1 if self.boundary == "ring" else self.n)
        weak = jnp.abs(coupling) < _WEAK
        small, large = jnp.where(weak, coupling, 0.0), jnp.where(weak, 1.0, coupling)
        around = self.n if self.boundary == "ring" else None
        return lag_matrix(jnp.where(weak, _by_powers(small, lag, around), _by_logs(large, lag, around)), self.n, self.boundary)


def _by_powers(coupling: Array, lag: np.ndarray, n: int | None) -> Array:
    """The correlations for weak coupling, smooth at 0; on a line if n is None."""
    t = jnp.tanh(coupling)
    return t**lag if n is None else (t**lag + t ** (n - lag)) / (1 + t**n)


def _by_logs(coupling: Array, lag: np.ndarray, n: int | None) -> Array:
    """The correlations for strong coupling, where 1 - |t| would drown in rounding; on a line if n is None."""
    _, log_t = _rare(coupling)
    decay = jnp.where(coupling < 0, real((-1.0) ** lag), 1.0) * jnp.exp(lag * log_t)
    return decay if n is None else decay * _closure((coupling < 0) & (n % 2 == 1), n - 2 * lag, n, log_t)


def _rare(coupling: Array) -> tuple[Array, Array]:
    """q = 1/(1 + exp(2|J|)) and log |tanh J| = log(1 - 2q), bounded so that no infinity arises."""
    size = jnp.minimum(jnp.abs(coupling), _STRONG)
    rare = 1 / (1 + jnp.exp(2 * size))
    log_t = jnp.where(size < _WEAK, jnp.log(jnp.tanh(size)), jnp.log1p(-2 * rare))
    return rare, jnp.maximum(log_t, -1e3)


def _closure(frustrated: Array, around: np.ndarray, n: int, log_t: Array) -> Array:
    """(1 + |t|^around)/(1 + |t|^n), with minus signs on a frustrated ring, where it counts as constant once 1 - |t| is lost."""
    plain = (1 + jnp.exp(around * log_t)) / (1 + jnp.exp(n * log_t))
    moves = frustrated & (log_t < -jnp.finfo(log_t.dtype).eps)
    fixed, moving = jax.lax.stop_gradient(log_t), jnp.where(moves, log_t, -1.0)
    minus = [jnp.expm1(around * log) / jnp.expm1(n * log) for log in (moving, fixed)]
    return jnp.where(frustrated, jnp.where(moves, *minus), plain)
