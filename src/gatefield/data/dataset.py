"""A task with a training set: samples that are given, not drawn from a law."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.runs import leaf
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.data.abstract_task import AbstractTask, Batch, DrawBatch, Stream

Loss = Callable[[Array, Array], Array]
MOST_CLASSES = 1000  # whole numbers beyond are taken for values given as integers by mistake


class Dataset(AbstractTask):
    r"""A training set, and a test set if there is one, resident on the device.

    Batches are either consecutive pieces of the set, shuffled anew for each epoch, or drawn with replacement. In the first case
    sample number p of all that are taken, counted from 0 over all batches, is $x_{\pi_e(p - en)}$ with the epoch
    $e = \lfloor p/n \rfloor$ of n samples and a random permutation $\pi_e$ made from `fold_in(key, e)`, so that each epoch
    visits every sample once; a batch may begin in one epoch and end in the next. The whole set as one batch comes in order.

    A training records, beside the network's observables, `loss` over the whole training set, and if labels are classes or take
    two values `train_accuracy`; and `test_loss` and `test_accuracy` if there is a test set. A sample counts as right if its
    class has the largest output or, with a single output, if the other label would give a larger loss.

    **Arguments**

    - `x`: inputs (samples, n). `y`: labels (samples,): whole numbers are classes 0, 1, ..., others are values. Either may have
      a run axis in front: a set for each run.
    - `test`: inputs and labels of the test set.
    - `batches`: `"shuffled"` or `"replacement"`.
    - `block`: how many samples are evaluated at once for what is recorded.
    - `evaluated`: how many training samples, the first ones, are evaluated for what is recorded; all of them by default.

    >>> import jax
    >>> from gatefield import DeepGated, train
    >>> task = Dataset([[1.0], [2.0]], [1.0, -1.0])
    >>> net = DeepGated(1, [8, 8], gating="free", samples=2, key=jax.random.key(0))
    >>> net, record = train(net, task, steps=40, batch_size="all", learning_rate=0.05, key=jax.random.key(1))
    >>> bool(record.loss[0, -1] < record.loss[0, 0]), float(record.train_accuracy[0, -1])
    (True, 1.0)
    """

    batches: str = eqx.field(static=True)
    block: int = eqx.field(static=True)
    evaluated: int | None = eqx.field(static=True)
    values: tuple[float, ...] | None = eqx.field(static=True)
    x: Float[Array, "samples n"] = leaf(2)
    y: Real[Array, " samples"] = leaf(1)
    test_x: Float[Array, "samples n"] | None = leaf(2)
    test_y: Real[Array, " samples"] | None = leaf(1)

    def __init__(
        self,
        x: Any,
        y: Any,
        *,
        test: tuple[Any, Any] | None = None,
        batches: str = "shuffled",
        block: int = 4096,
        evaluated: int | None = None,
    ) -> None:
        self.batches = checks.choice("batches", batches, ["shuffled", "replacement"])
        self.block = checks.count("block", block)
        self.evaluated = None if evaluated is None else checks.count("evaluated", evaluated)
        self.x, self.y = _inputs("x", x), _labels("y", y)
        self.test_x = self.test_y = None
        if test is not None:
            if not isinstance(test, Sequence) or len(test) != 2:
                raise UserError(f"test must be a pair (inputs, labels), such as (test_x, test_y), but is {quoted(test)}.")
            self.test_x, self.test_y = _inputs("test x", test[0]), _labels("test y", test[1])
        self._check()
        found = np.unique(np.concatenate([np.ravel(part) for part in (self.y, self.test_y) if part is not None]))
        self.values = tuple(found.tolist()[::-1]) if len(found) == 2 or self._has_classes else None

    def __repr__(self) -> str:
        test = {} if self.test_x is None else {"test": (self.test_x, self.test_y)}
        return shown(self, **test)

    @property
    def n(self) -> int:
        """Number of inputs."""
        return self.x.shape[-1]

    @property
    def size(self) -> int:
        return self.x.shape[-2]

    @property
    def labels(self) -> tuple[float | int, ...] | None:
        """The two values that labels take, the larger first; None if there are more."""
        return self.values if self.values and len(self.values) == 2 else None

    @property
    def classes(self) -> int | None:
        return int(self.values[0]) + 1 if self._has_classes and self.values else None

    @property
    def _has_classes(self) -> bool:
        return jnp.issubdtype(self.y.dtype, jnp.integer)

    def sampler(self) -> DrawBatch:
        return lambda key, size: self._at(jax.random.randint(key, (size,), 0, self.size))

    def stream(self, key: PRNGKeyArray, size: int | None) -> Stream:
        if size is None or (self.batches == "shuffled" and size == self.size):
            return Stream(lambda step: (), lambda step, memory: ((self.x, self.y), memory))
        return _shuffled(self, key, size) if self.batches == "shuffled" else AbstractTask.stream(self, key, size)

    def batch(self, key: PRNGKeyArray, step: int, size: int | None) -> Batch:
        """The batch of one step of a training with this key; for sets without a run axis."""
        stream = self.stream(key, size)
        return stream.take(jnp.int32(step), stream.start(jnp.int32(step)))[0]

    def measures(self, net: Any, loss: Loss | None = None) -> dict[str, Float[Array, ""]]:
        first = slice(None) if net.samples is not None else slice(self.evaluated)
        found = self._measured(net, self.x[first], self.y[first], loss, "train_")
        found |= {} if self.test_x is None else self._measured(net, self.test_x, self.test_y, loss, "test_")
        return {name.replace("train_loss", "loss"): value for name, value in found.items()}

    def _at(self, index: Int[Array, " size"]) -> Batch:
        return self.x[index], self.y[index]

    def _measured(self, net: Any, x: Array, y: Any, loss: Loss | None, prefix: str) -> dict[str, Array]:
        whole = net.samples is not None or len(x) <= self.block
        outputs = net(x) if whole else jax.lax.map(net, x, batch_size=self.block)
        found = {} if loss is None else {f"{prefix}loss": loss(outputs, y)}
        if outputs.ndim > y.ndim:
            found[f"{prefix}accuracy"] = jnp.mean(outputs.argmax(-1) == y)
        elif self.labels:
            found[f"{prefix}accuracy"] = jnp.mean(_is_right(outputs, y, self.labels, loss or _distance))
        return found

    def _check(self) -> None:
        for name, x, y in [("", self.x, self.y), ("test ", self.test_x, self.test_y)]:
            if x is None or y is None:
                continue
            if x.ndim == 3 and y.ndim == 1 and len(x) == len(y) != x.shape[1]:
                raise UserError(
                    f"{name}x of shape {x.shape} would be {len(x)} runs of {x.shape[1]} samples; for {len(x)} samples, such as "
                    f"images, write x.reshape({len(x)}, -1)."
                )
            if x.shape[-2] != y.shape[-1]:
                raise UserError(f"There are {x.shape[-2]} {name}inputs, but {y.shape[-1]} labels; give one label for each.")
            if x.shape[-1] != self.n or y.dtype != self.y.dtype:
                raise UserError("The test set must have as many inputs and the same kind of labels as the training set.")


def _shuffled(task: Dataset, key: PRNGKeyArray, size: int) -> Stream:
    """Epoch after epoch, each in an order of its own; the memory is the order of this epoch and of the next."""
    n = task.size
    if size > n:
        raise UserError(f"A batch must be at most the training set, but has {size} samples of {n}; make batch_size smaller.")

    def order(epoch: Array) -> Array:
        return jax.random.permutation(jax.random.fold_in(key, epoch), n)

    def start(step: Array) -> Array:
        epoch = step * size // n
        return jnp.concatenate([order(epoch), order(epoch + 1)])

    def take(step: Array, memory: Array) -> tuple[Batch, Array]:
        epoch, following = step * size // n, (step + 1) * size // n
        index = jax.lax.dynamic_slice(memory, (step * size - epoch * n,), (size,))
        later = jax.lax.cond(following == epoch, lambda: memory, lambda: jnp.concatenate([memory[n:], order(following + 1)]))
        return task._at(index), later

    return Stream(start, take)


def _is_right(output: Array, label: Array, labels: tuple[float, ...], loss: Loss) -> Array:
    """Whether the other of two labels would give a larger loss."""
    other = sum(labels) - label
    each = jax.vmap(lambda o, y: loss(o[None], y[None]))
    return each(output, label) < each(output, other)


def _distance(output: Array, label: Array) -> Array:
    return jnp.sum((output - label) ** 2)


def _inputs(name: str, x: Any) -> Float[Array, "*runs samples n"]:
    array = _loaded(name, x)
    dims = _dims(x)
    if dims[-1:] == ("sample",):
        raise UserError(f"{name} must have the samples first, but has the dimensions {dims}; write .transpose('sample', ...).")
    if 0 in array.shape:
        raise UserError(
            f"{name} must have at least one sample and one input, but its shape is {array.shape}; see that it was loaded."
        )
    if array.ndim not in (2, 3):
        way_out = f"write {name}.reshape({len(array)}, -1)" if array.ndim > 3 else "put samples first"
        raise UserError(f"{name} must have shape (samples, n), or (runs, samples, n), but has {array.shape}; {way_out}.")
    return _kept(name, array)


def _labels(name: str, y: Any) -> Real[Array, "*runs samples"]:
    array = _loaded(name, y)
    dims = _dims(y)
    if "sample" in dims[:-1]:
        raise UserError(
            f"{name} must have the dimension sample last, but has {dims}; write .transpose(..., 'sample'), runs in front."
        )
    if array.ndim not in (1, 2) or 0 in array.shape:
        raise UserError(f"{name} must have shape (samples,), or (runs, samples), but has {array.shape}; give one for each.")
    if array.dtype.kind not in "iu":
        return _kept(name, array)
    if not 0 <= array.min() <= array.max() < MOST_CLASSES:
        raise UserError(
            f"Whole numbers as labels are classes from 0 on, at most {MOST_CLASSES}, but they reach from {array.min()} to "
            f"{array.max()}; number the classes 0, 1, ..., or give values as floats."
        )
    return jnp.asarray(array.astype(np.int32))


def _dims(value: Any) -> tuple[Any, ...]:
    """The names of the dimensions of a `DataArray`."""
    return tuple(getattr(value, "dims", ()))


def _loaded(name: str, value: Any) -> np.ndarray:
    """Finite real numbers; not the file that holds them."""
    if isinstance(value, str | Path):
        raise UserError(
            f"{name} must be numbers, but is {quoted(value)}; if that is a file, load it, as in "
            f"{name}=np.load({quoted(str(value))})."
        )
    array = checks.numbers(name, value)
    return array if array.dtype.kind in "biu" or np.isfinite(array).all() else np.asarray(checks.finite(name, array))


def _kept(name: str, array: np.ndarray) -> Float[Array, "..."]:
    """Numbers in the default float type; an error if one is too large for it, or a whole number that it would round."""
    kind = np.finfo(jnp.result_type(float))
    most = 2.0 ** (kind.nmant + 1) if array.dtype.kind in "iu" else float(kind.max)
    if array.dtype.itemsize > 2 and np.abs(array.astype(float)).max() > most:
        reason = "not kept exactly" if array.dtype.kind in "iu" else "infinite"
        raise UserError(
            f"{name} must be at most {most:.8g} in size, beyond which it would be {reason} in {kind.dtype}, but reaches "
            f"{np.abs(array.astype(float)).max():.8g}; subtract its mean and divide by its standard deviation."
        )
    return jnp.asarray(array, float)
