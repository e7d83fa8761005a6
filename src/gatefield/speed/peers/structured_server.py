"""The other side of `structured.py`: reads a size per line, computes kernels, writes the first row of one. No gatefield."""

import json
import sys
from typing import Any


def main() -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    import neural_tangents as nt  # pyright: ignore[reportMissingImports]
    import numpy as np
    from gated_network import network, output  # pyright: ignore[reportMissingImports] # the folder of this script is on the path

    def apply(w: Any, inputs: Any) -> Any:
        return output(w, inputs[1], inputs[0])

    method = nt.empirical_ntk_fn(apply, implementation=nt.NtkImplementation.STRUCTURED_DERIVATIVES, vmap_axes=0)
    kernel = jax.jit(lambda w, both: method(both, None, w))
    known: list[Any] = []
    arrays: Any = None
    _say("ready")
    for line in sys.stdin:
        *size, kind, times = json.loads(line)
        if known != [*size, kind]:
            known, arrays = [*size, kind], jax.tree_util.tree_map(jax.numpy.asarray, tuple(network(*size, np.dtype(kind))))
        weights, gates, x = arrays
        every = [kernel(weights, (x, gates)).block_until_ready() for _ in range(times)]
        _say(json.dumps(np.ravel(every[-1][0]).tolist()))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
