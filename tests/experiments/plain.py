"""Known numbers of squashed fields and of a ReLU neuron on them, by plain sums."""

import math

import numpy as np


def covariance(n, xi, gain=0.0):
    """Of erf(g z)/Z(g) on a ring; z has the wrapped Gaussian correlation."""
    lag = np.subtract.outer(np.arange(n), np.arange(n))
    row = sum(np.exp(-(((lag + turn * n) / xi) ** 2)) for turn in range(-6, 7))
    rho = row / row[0, 0]
    kappa = squashing(gain)
    return rho if gain == 0 else np.arcsin(np.minimum(kappa * rho, 1.0)) / np.arcsin(kappa)


def squashing(gain):
    """2 g²/(1 + 2 g²)."""
    return 1.0 if np.isinf(gain) else 2 * gain**2 / (1 + 2 * gain**2)


def site_gate_mean(n, xi, gain, site=0):
    """E[1(x_i > 0) x_j] of squashed fields, for i the site."""
    kappa, rho = squashing(gain), covariance(n, xi)[site]
    return np.arcsin(np.sqrt(kappa) * np.clip(rho, -1, 1)) / (np.pi * np.sqrt(2 / np.pi * np.arcsin(kappa)))


def gate_mean(w, cov):
    """E[1(<w, x> > 0) x] of Gaussian data."""
    return cov @ w / math.sqrt(2 * math.pi * (w @ cov @ w))


def velocity(w, cov1, cov0):
    """Of one ReLU neuron on Gaussian classes with labels 1 and 0."""
    return gate_mean(w, cov1) / 2 - (cov1 + cov0) @ w / 4


def loss(w, cov1, cov0):
    return 0.25 + w @ (cov1 + cov0) @ w / 8 - w @ gate_mean(w, cov1) / 2


def flow_end(w, cov1, cov0, time, steps=40, push=velocity):
    """Where the flow is after that time, by Runge and Kutta's steps."""
    w, h = np.asarray(w, float), time / steps
    for _ in range(steps):
        a = push(w, cov1, cov0)
        b = push(w + h / 2 * a, cov1, cov0)
        c = push(w + h / 2 * b, cov1, cov0)
        d = push(w + h * c, cov1, cov0)
        w = w + h / 6 * (a + 2 * b + 2 * c + d)
    return w


def ipr(w):
    return (w**4).sum(-1) / (w**2).sum(-1) ** 2


def cosine(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return (a * b).sum(-1) / np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
