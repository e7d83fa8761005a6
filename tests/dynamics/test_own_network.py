"""What is wrong in a network of one's own is one sentence, before anything is compiled."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Network, Task, UserError, leaf, train
from gatefield.data import Gaussian
from gatefield.dynamics import init

KEY, N, BATCH = jax.random.key(0), 6, 4
TASK = Task(Gaussian(N, 1.0), Gaussian(N, 2.0))


class Own(Network):
    w: jax.Array = leaf(1)

    def forward(self, x):
        return x @ self.w

    def observables(self):
        return {"fields": (("position",), self.w)}


class Bare(Own):
    w: jax.Array


def shown(**named):
    return lambda self: dict.fromkeys(named, (("position",), self.w))


WRONG = {
    "column": (
        {"forward": lambda self, x: (x @ self.w)[:, None]},
        r"forward\(x\) of Mine must give shape \(4,\) .* gives \(4, 1\); return y\[\.\.\., 0\]",
    ),
    "one number": (
        {"forward": lambda self, x: (x @ self.w).sum()},
        r"must give shape \(4,\) .* but gives \(\); work along the last axis",
    ),
    "wrong axis": (
        {"forward": lambda self, x: x.sum(0)},
        r"must give shape \(4,\) for inputs of shape \(4, 6\), but gives \(6,\)",
    ),
    "classes": ({"forward": lambda self, x: x[:, :3] * self.w[:3]}, r"but gives \(4, 3\); define the property outputs, here 3"),
    "too few": ({"outputs": property(lambda self: 2)}, "The network has 2 outputs, but the task's labels are single numbers"),
    "nothing": ({"forward": lambda self, x: None}, r"must give shape \(4,\) .* but gives None; return an array"),
    "numpy": (
        {"forward": lambda self, x: np.asarray(x) @ np.asarray(self.w)},
        r"forward\(x\) of Mine must be .* JAX can trace.* compute by jax.numpy",
    ),
    "float": (
        {"forward": lambda self, x: float(x.sum())},
        r"forward\(x\) of Mine must be .* JAX can trace.* without numpy, float\(\)",
    ),
    "failure": ({"forward": lambda self, x: 1 / 0}, r"forward\(x\) of Mine must be .* but fails: division by zero"),
    "list": ({"observables": lambda self: [1, 2]}, r"observables\(\) of Mine must be a dict, name -> .* but is \[1, 2\]"),
    "none": ({"observables": lambda self: None}, r"observables\(\) of Mine must be a dict, name -> .* but is None"),
    "no names": (
        {"observables": lambda self: {"fields": self.w}},
        r"observables\(\) of Mine must be a dict, .* but 'fields' is Array",
    ),
    "text as names": (
        {"observables": lambda self: {"fields": ("position", self.w)}},
        r"observables\(\) of Mine .* but 'fields' is \('pos",
    ),
    "fails": (
        {"observables": lambda self: self.v},
        r"observables\(\) of Mine must be a dict, .* but fails: .* no attribute 'v'",
    ),
    "loss": (
        {"observables": shown(fields=1, loss=1)},
        r"observables\(\) of Mine must not use the name 'loss', which is recorded anyway",
    ),
    "status": ({"observables": shown(fields=1, status=1)}, r"observables\(\) of Mine must not use the name 'status'"),
    "no fields": (
        {"observables": shown(weights=1)},
        "Mine must say how many inputs it has, .* no 'fields', .* define the property inputs",
    ),
    "text": ({"inputs": property(lambda self: "6")}, "inputs of Mine must be a whole number, .* but is '6'"),
    "half": ({"outputs": property(lambda self: 1.5)}, "outputs of Mine must be a whole number, .* but is 1.5"),
}


def made(base=Own, **changes):
    return type("Mine", (base,), changes)(jnp.full(N, 0.1))


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", WRONG)
def test_each_mistake_is_one_sentence(name):
    changes, words = WRONG[name]
    for begin in (init, lambda *parts, **settings: train(*parts, steps=2, **settings)):
        with pytest.raises(UserError, match=words) as caught:
            begin(made(**changes), TASK, batch_size=BATCH, learning_rate=0.1, key=KEY)
        assert "\n" not in str(caught.value)


@pytest.mark.wrong_types
def test_outputs_of_another_shape_are_refused_in_a_call_too():
    with pytest.raises(UserError, match=r"must give shape \(2, 3\) for inputs of shape \(2, 3, 6\), but gives \(2, 3, 1\)"):
        made(forward=lambda self, x: (x @ self.w)[..., None])(np.ones((2, 3, N)))


def test_an_array_that_is_not_declared_is_told_so():
    """It counts as one number for each of six runs."""
    words = r"w of shape \(6,\) counts as .* 6 runs: .* declared by w: jax.Array = gatefield.leaf\(1\)"
    with pytest.raises(UserError, match="stands for 6 runs.*" + words):
        made(Bare)(np.ones((2, N)))
    inputs = property(lambda self: N)
    with pytest.raises(UserError, match=r"forward\(x\) of Mine must be .*" + words):
        init(made(Bare, inputs=inputs, observables=lambda self: {}), TASK, batch_size=BATCH, learning_rate=0.1, key=KEY)


def test_what_the_sentences_ask_for_is_right():
    """A network of two outputs, and one that says its inputs itself, begin a training."""
    for net in (made(), made(inputs=property(lambda self: N), observables=shown(weights=1))):
        assert init(net, TASK, batch_size=BATCH, learning_rate=0.1, key=KEY).net.w.shape == (N,)
    pair = made(forward=lambda self, x: jnp.stack([x @ self.w, -x @ self.w], -1), outputs=property(lambda self: 2))
    assert pair(np.ones((5, N))).shape == (5, 2)
