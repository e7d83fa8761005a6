"""Paths as objects: a list of them, their strengths, activations and hidden features, and the output as a sum over them."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import Arrays, Samples, arrays, check_gates, check_layers, float_arrays, full_precision, numbers
from gatefield.kernels.bundles import MOST_PATHS

MOST_NUMBERS = 10**7
"""Paths times samples, or times outputs: 80 MB."""


class PathView(NamedTuple):
    """A network as a sum over its paths."""

    paths: Int[np.ndarray, "paths layers"]
    """The nodes of each path, from its input to its last hidden unit."""
    strengths: Float[Exact, " paths"] | Float[Exact, "paths outputs"]
    """w(p): the product of the weights along each path."""
    activations: Float[Exact, "samples paths"]
    """A(x, p): the product of the gates along each path."""
    features: Float[Exact, "samples paths"]
    """The hidden feature: A(x, p) times the input at which the path begins."""

    @property
    def outputs(self) -> Float[Exact, " samples"] | Float[Exact, "samples outputs"]:
        """The outputs of the network: features times strengths, summed over the paths."""
        return self.features @ self.strengths


@runtime_checkable
class Gated(Protocol):
    """What `path_view` asks of a network; `gatefield.DeepGated` offers it."""

    weights: Any
    biases: Any

    def checked(self, x: Any) -> Any: ...
    def gates(self, x: Any) -> Any: ...


def all_paths(widths: Sequence[int], inputs: int) -> Int[np.ndarray, "paths layers"]:
    r"""All paths from an input through one unit of each hidden layer.

    $$p=(p(0),p(1),\dots,p(d-1)),\qquad P = d_{in}\prod_{l=1}^{d-1}w_l$$

    The step from the last hidden unit to an output leaves no choice, so that it is not listed.

    **Arguments**

    - `widths`: those of the hidden layers.
    - `inputs`: number of inputs. At most a million paths are listed.

    **Returns** the nodes of each path, (paths, d), all counted from 0; the last one runs fastest.

    >>> all_paths([2, 1], 2)
    array([[0, 0, 0],
           [0, 1, 0],
           [1, 0, 0],
           [1, 1, 0]])

    **Source:** paper 004, section 1 and definition 7.1.
    """
    checks.vector("widths", widths)
    nodes = [checks.count("inputs", inputs), *(checks.count("each of the widths", width) for width in widths)]
    _few_enough(nodes)
    return np.indices(nodes).reshape(len(nodes), -1).T


@given(weights=arrays)
@full_precision
def path_strengths(weights: Arrays) -> Float[Exact, " paths"] | Float[Exact, "paths outputs"]:
    r"""The strength of each path: the product of the weights along it.

    $$w(p) = \prod_{l=1}^d\Theta_l(p(l-1),p(l))$$

    **Arguments**

    - `weights`: d arrays (fan-in, width), the last (width,) or (width, outputs).

    **Returns** the strengths in the order of `all_paths`, (paths,), or (paths, outputs) if there are several outputs; float64
    NumPy unless traced.

    >>> path_strengths([[[1.0, 2.0], [3.0, 4.0]], [5.0, -1.0]])
    array([ 5., -2., 15., -4.])

    **Source:** paper 004, section 1 and definition 7.2.
    """
    first, *others = _layers(weights)
    _few_enough([len(first), *(len(w) for w in others)], others[-1].shape[1])
    strengths = first
    for w in others:  # (paths so far, unit at which they end)
        strengths = (strengths[:, :, None] * w).reshape(-1, w.shape[1])
    return strengths[:, 0] if strengths.shape[1] == 1 else strengths


@given(gates=arrays)
@full_precision
def path_activations(gates: Arrays, inputs: int = 1) -> Float[Exact, "samples paths"]:
    r"""The activation of each path for each sample: the product of the gates along it.

    $$A(x_s,p) = \prod_{l=1}^{d-1}G_l(x_s,p(l))$$

    It does not depend on the input p(0) at which the path begins.

    **Arguments**

    - `gates`: an array (samples, width) for each of the d - 1 gated layers; 0/1 or soft.
    - `inputs`: number of inputs.

    **Returns** A, (samples, paths), in the order of `all_paths`; float64 NumPy unless traced. With one input, the products of
    its rows are those of `path_overlap`.

    >>> path_activations([[[1, 1], [0, 1]], [[0.5, 2.0], [1.0, 3.0]]])
    array([[0.5, 2. , 0.5, 2. ],
           [0. , 0. , 1. , 3. ]])

    **Source:** paper 004, section 1; its definition 7.3 has one gate too many.
    """
    layers = check_gates(gates)
    inputs = checks.count("inputs", inputs)
    _few_enough([inputs, *(gate.shape[1] for gate in layers)], len(layers[0]))
    return _along(layers, np.ones((len(layers[0]), inputs)))


@given(gates=arrays, x=numbers)
@full_precision
def path_features(gates: Arrays, x: Samples) -> Float[Exact, "samples paths"]:
    r"""The hidden features of a gated network, one for each path.

    $$\phi_{x_s}(p) = x_s(p(0))\,A(x_s,p),\qquad \hat y(x_s) = \sum_p\phi_{x_s}(p)\,w(p)$$

    with the activations of `path_activations` and the strengths of `path_strengths`. Their Gram matrix is `path_kernel`.

    **Arguments**

    - `gates`: an array (samples, width) for each of the d - 1 gated layers.
    - `x`: inputs (samples, fan-in).

    **Returns** phi, (samples, paths), in the order of `all_paths`; float64 NumPy unless traced.

    >>> phi = path_features([[[1, 1], [1, 0]]], [[1.0, 2.0], [3.0, 4.0]])
    >>> phi
    array([[1., 1., 2., 2.],
           [3., 0., 4., 0.]])
    >>> phi @ path_strengths([[[1.0, 2.0], [3.0, 4.0]], [5.0, -1.0]])  # the outputs of the network
    array([25., 75.])

    **Source:** paper 004, equations 2 and 8, definition 7.4.
    """
    layers, (first,) = check_gates(gates), float_arrays([x], exact=True)[0]
    if first.ndim != 2 or len(first) != len(layers[0]):
        rule = f"({len(layers[0])}, inputs), as many samples as gates"
        raise UserError(f"x must have the shape {rule}, not {first.shape}; put the samples first.")
    _few_enough([first.shape[1], *(gate.shape[1] for gate in layers)], len(first))
    return _along(layers, first)


@given(weights=arrays)
@full_precision
def effective_weights(weights: Arrays) -> Float[Exact, " inputs"] | Float[Exact, "inputs outputs"]:
    r"""What a deep linear network multiplies its inputs by.

    $$\eta(i) = \sum_{p:\,p(0)=i}w(p) = (\Theta_1\Theta_2\cdots\Theta_d)(i),\qquad \hat y = x^\top\eta$$

    No path is listed.

    **Arguments**

    - `weights`: as for `path_strengths`.

    **Returns** eta, (inputs,), or (inputs, outputs) if there are several outputs; float64 NumPy unless traced.

    >>> effective_weights([[[1.0, 2.0], [3.0, 4.0]], [5.0, -1.0]])
    array([ 3., 11.])

    **Source:** paper 004, equations 13 to 15.
    """
    *others, eta = _layers(weights)
    for w in others[::-1]:
        eta = w @ eta
    return eta[:, 0] if eta.shape[1] == 1 else eta


@given(x=numbers)
def path_view(net: Gated, x: Samples) -> PathView:
    r"""A dense gated network by its paths: its outputs are $\sum_p\phi_x(p)\,w(p)$.

    **Arguments**

    - `net`: a `DeepGated` of one run, with outputs and without biases: a bias is no product of an input and weights.
    - `x`: inputs (samples, n).

    **Returns** the list of paths (`all_paths`), their strengths (`path_strengths`), activations (`path_activations`) and hidden
    features (`path_features`) behind the gates that the network has for these inputs; `.outputs` sums over the paths.

    >>> from gatefield import DeepGated
    >>> net = DeepGated(2, [2], gating="relu", init=[[[1.0, 2.0], [3.0, -4.0]], [[5.0], [-1.0]]])
    >>> view = path_view(net, [[1.0, 2.0], [3.0, 1.0]])
    >>> view.strengths, view.activations
    (array([ 5., -2., 15.,  4.]), array([[1., 0., 1., 0.],
           [1., 1., 1., 1.]]))
    >>> view.outputs, net([[1.0, 2.0], [3.0, 1.0]])
    (array([35., 28.]), Array([35., 28.], dtype=float32))

    **Source:** paper 004, equation 2.
    """
    weights, inputs = _dense(net), net.checked(x)
    if inputs.ndim != 2:
        raise UserError(f"x must have the shape (samples, n), but has {inputs.shape}; give one row for each sample.")
    gates = net.gates(inputs)
    paths, strengths = all_paths([gate.shape[-1] for gate in gates], inputs.shape[1]), path_strengths(weights)
    return PathView(paths, strengths, path_activations(gates, inputs.shape[1]), path_features(gates, inputs))


def _dense(net: Any) -> list[Any]:
    """The weights of a network of dense layers that is the sum over its paths."""
    if not isinstance(net, Gated) or isinstance(net, type) or not isinstance(net.weights, list | tuple):
        raise UserError(
            f"net must be a DeepGated, but is {type(net).__name__}; for arrays of weights and gates use path_strengths and "
            "path_features."
        )
    if getattr(net, "sequential", False) or not getattr(net, "readout", True):
        raise UserError(
            "net must have dense layers and outputs, or else it is no sum over paths to an output; see path_bundles for "
            "convolutions, and write outputs=1."
        )
    if net.biases is not None:
        raise UserError("net must have no biases, which lie on no path from an input; write bias=False.")
    return list(net.weights)


def _layers(weights: Arrays) -> list[Any]:
    """Weights in float64 whose shapes fit each other; a last layer (width,) becomes (width, 1)."""
    (layers,) = float_arrays(list(weights), exact=True)
    if not layers or layers[0].ndim != 2:
        shapes = [w.shape for w in layers]
        raise UserError(f"weights must be arrays (fan-in, width), one for each layer, but have shapes {shapes}; give them all.")
    return check_layers("weights", layers, np.empty((1, len(layers[0]))))


def _along(layers: list[Any], first: Any) -> Any:
    """Products (samples, paths) of numbers at the first nodes and of the gates behind."""
    found = first
    for gate in layers:
        found = (found[:, :, None] * gate[:, None, :]).reshape(len(gate), -1)
    return found


def _few_enough(nodes: list[int], columns: int = 1) -> None:
    """So many paths that they can be listed, for each of some samples or outputs."""
    paths = math.prod(nodes)
    if paths > MOST_PATHS:
        raise UserError(
            f"{' x '.join(map(str, nodes))} nodes make more than {MOST_PATHS} paths, too many to list; give smaller widths, or "
            "use path_overlap, path_kernel and ntk, which list none."
        )
    if paths * columns > MOST_NUMBERS:
        raise UserError(
            f"{paths} paths for each of {columns} samples or outputs are more than {MOST_NUMBERS} numbers; give fewer samples, "
            f"at most {MOST_NUMBERS // paths}."
        )
