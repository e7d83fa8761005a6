"""The same training as a plain loop in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gatefield.speed.peers.problem import Problem


def torch_loop(torch: Any, problem: Problem, steps: int, seed: int = 0) -> Callable[[], np.ndarray]:
    """All runs at once in batched products; with one run there is no such axis, since batched products are slower."""
    alone, half, n = problem.runs == 1, problem.batch // 2, problem.n
    lead = () if alone else (problem.runs,)
    start = torch.tensor(problem.start[0] if alone else problem.start)
    factors, scale = torch.tensor(problem.factors), problem.scale
    y = torch.cat([torch.ones(half), torch.zeros(half)])

    def batch(generator: Any) -> Any:
        z = torch.randn((2, *lead, half, n), generator=generator)
        x = torch.cat([z[0] @ factors[0], z[1] @ factors[1]], dim=-2)
        return x.mul_(problem.gain).erf_().div_(scale)

    def go() -> np.ndarray:
        generator = torch.Generator().manual_seed(seed)
        w = start.clone().requires_grad_()
        for _ in range(steps):
            output = torch.relu(batch(generator) @ w.mT).mean(-1)
            loss = 0.5 * ((output - y) ** 2).mean(-1).sum()
            (slope,) = torch.autograd.grad(loss, w)
            with torch.no_grad():
                w -= problem.rate * slope
        found = w.detach().numpy()
        return found[None] if alone else found

    return go
