"""Normal numbers from counters: Philox 4x32-10, and the polar form of two normals."""

import math

import jax.numpy as jnp
import numpy as np

from gatefield.dynamics.train.gpu.arithmetic import Arithmetic, Bits, Real, word

FACTORS = 0xD2511F53, 0xCD9E8D57
STRIDES = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
Four = tuple[Bits, Bits, Bits, Bits]


def philox(counter: Four, key: tuple[Bits, Bits], by: Arithmetic) -> Four:
    r"""Four random words of 32 bits for each counter of four words and key of two.

    A round makes $(h_1 \oplus c_1 \oplus k_0,\; l_1,\; h_0 \oplus c_3 \oplus k_1,\; l_0)$ of the counter c, with $h_0, l_0$ the
    high and the low word of $M_0 c_0$ and $h_1, l_1$ those of $M_1 c_2$; before the next, constants are added to the key.

    **Source:** Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC11); ten rounds, as they advise.
    """
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(ROUNDS):
        h0, l0 = by.wide(c0, FACTORS[0])
        h1, l1 = by.wide(c2, FACTORS[1])
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0, k1 = k0 + word(STRIDES[0]), k1 + word(STRIDES[1])
    return c0, c1, c2, c3


def two_normals(a: Bits, b: Bits, by: Arithmetic) -> tuple[Real, Real]:
    r"""Two normal numbers from two words: $\sqrt{-2\ln u}\,(\cos\varphi, \sin\varphi)$ (Box and Muller).

    All of the first word makes u, so that the radius goes up to 6.8; 23 bits of the second make the angle in [-pi, pi), where
    the fast sine and cosine are most accurate.
    """
    square = by.log2(by.unit(a)) * np.float32(-2 * math.log(2))
    radius = by.sqrt(jnp.maximum(square, np.float32(0)))  # the fast logarithm may be just above 0 at 1
    turn = by.from_bits((b & word(0x007FFFFF)) | word(0x3F800000))  # in [1, 2)
    angle = turn * np.float32(2 * math.pi) - np.float32(3 * math.pi)
    return radius * by.cos(angle), radius * by.sin(angle)


def four_normals(counter: Four, key: tuple[Bits, Bits], by: Arithmetic) -> tuple[Real, Real, Real, Real]:
    """The normal numbers of the four words of each counter."""
    a, b, c, d = philox(counter, key, by)
    return *two_normals(a, b, by), *two_normals(c, d, by)
