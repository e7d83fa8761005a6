"""Whatever is wrong in the parts of a training or a flow is one sentence, before anything is compiled."""

import jax
import numpy as np
import optax
import pytest

from gatefield import Committee, Task, UserError, flow, one_run, train
from gatefield.data import Gaussian, NonlinearGP
from gatefield.dynamics import Stepper, advance, stability

KEY = jax.random.key(0)
N = 4
NET = Committee(N, 2, key=KEY)
TASK = Task(NonlinearGP(N, 2.0, gain=[1.0, 3.0]), Gaussian(N, 1.0))
START = np.ones((1, N))


def total(net):
    return net.fields.sum()


TRAININGS = {
    "no rates": ({"learning_rate": []}, r"learning_rate must be one number, or one for each run, but has shape \(0,\)"),
    "table of rates": (
        {"learning_rate": [[0.1]]},
        r".* has shape \(1, 1\); write for instance learning_rate=0.01",
    ),
    "rate without step": (
        {"learning_rate": lambda: 0.1},
        "learning_rate must be a number, or a function of the step, but fails",
    ),
    "rate of text": ({"learning_rate": lambda step: "a"}, "learning_rate at step 0 must be finite, but is 'a'"),
    "no keys": ({"key": jax.random.split(KEY, 0)}, r"key must be one key, or one for each run, but has shape \(0,\)"),
    "table of keys": ({"key": jax.random.split(KEY, (2, 2))}, r"key must be .* but has shape \(2, 2\)"),
    "three words": ({"key": np.zeros(3, np.uint32)}, r"key must be a JAX PRNG key, but is array\(\[0, 0, 0\]"),
    "no network": ({"net": None}, "net must be a network of gatefield, .* but is NoneType; .* forward.* observables"),
    "no runs": (
        {"task": Task(Gaussian(N, np.ones(0)), Gaussian(N, 1.0))},
        "A run axis must have one or more runs, but that of positive.xi has none",
    ),
    "a list": ({"observe": [total]}, "observe must be a dict, name -> .*; write for instance observe={"),
    "a function": ({"observe": {"a": total}}, "observe must be a dict, .* but 'a' is <function"),
    "a number": ({"observe": {"a": ((), 3.0)}}, "observe must be a dict, .* but 'a' is "),
    "a text of dims": ({"observe": {"a": ("unit", total)}}, "observe must be a dict, .* but 'a' is "),
    "gives text": ({"observe": {"a": ((), lambda net: "b")}}, "'a' in observe must be a function of the network, but fails"),
    "gives nothing": ({"observe": {"a": ((), lambda net: None)}}, "'a' in observe .* but gives nothing; return an array"),
    "gives a key": (
        {"observe": {"a": ((), lambda net: KEY)}},
        r"'a' in observe .* but gives key<fry>; return an array of real",
    ),
    "gives complex": ({"observe": {"a": ((), lambda net: 1j * total(net))}}, "'a' in observe .* but gives complex64"),
    "fails": (
        {"observe": {"a": ((), lambda net: net.nothing)}},
        "'a' in observe .* fails: 'Committee' object has no attribute",
    ),
    "slash": ({"observe": {"a/b": ((), total)}}, "by letters and digits, but has the name 'a/b'"),
    "number as name": ({"observe": {3: ((), total)}}, "by letters and digits, but has the name 3"),
    "step": ({"observe": {"step": ((), total)}}, "must not use the name 'step'"),
    "position": ({"observe": {"position": ((), total)}}, "must not use the name 'position'"),
    "a coordinate": ({"observe": {"positive_gain": ((), total)}}, "must not use the name 'positive_gain'"),
    "clash": (
        {"observe": {"a": (("position",), lambda net: net.fields[:, 0])}},
        "'a' has 2 entries along 'position', .* has 4",
    ),
    "run as dim": (
        {"observe": {"a": (("run",), lambda net: net.fields[0])}},
        "'a' has the dimension 'run', whose name is taken",
    ),
    "dim twice": ({"observe": {"a": (("q", "q"), lambda net: net.fields)}}, "'a' has the dimension 'q', whose name is taken"),
    "dims missing": ({"observe": {"a": ((), lambda net: net.fields)}}, r"'a' has 2 dimensions, but the names given are \(\)"),
    "batch in words": ({"batch_size": "al"}, "batch_size must be a whole number, or 'all' for the whole .* but is 'al'; write"),
    "no transformation": ({"optimizer": lambda rate: None}, "optimizer must be a function from .* but gives None"),
    "no rate taken": ({"optimizer": lambda: optax.sgd(0.1)}, "optimizer must be a function from .* but fails: .* takes 0"),
    "loss of one": ({"loss": lambda out: out.sum()}, "loss must be a function of outputs and labels .* but fails: .* takes 1"),
    "loss of nothing": ({"loss": lambda out, label: None}, "loss must be a function of outputs and labels .* gives nothing"),
}
FLOWS = {
    "nothing": ((None, START, [0.0, 1.0]), "velocity must be a function of the fields, .* but is None"),
    "no result": ((lambda w: None, START, [0.0, 1.0]), "velocity must be a function of fields that JAX can trace, but fails"),
    "not traceable": ((lambda w: np.tanh(np.asarray(w)), START, [0.0, 1.0]), "velocity must be a function of fields that JAX"),
    "two arguments": ((lambda w, b: w, START, [0.0, 1.0]), "velocity must be .* fails: .* missing 1 required"),
    "network": ((lambda w: -w, NET, [0.0, 1.0]), r"w0 must be fields, but is a whole Committee; write .* w0=net\.fields\."),
    "complex": (
        (lambda w: 1j * w, START, [0.0, 1.0]),
        "^The velocity must give real numbers, but gives complex128; return its",
    ),
    "complex of one field": (
        (lambda w: 1j * w, START[0], [0.0, 1.0]),
        "The velocity must give real numbers, but gives complex",
    ),
    "ragged": ((lambda w: -w, [[1.0, 2.0], [1.0]], [0.0, 1.0]), "w0 must be numbers"),
}


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_of_wrong_parts_is_refused(name):
    changes, words = TRAININGS[name]
    settings = {"net": NET, "task": TASK, "steps": 2, "batch_size": 4, "learning_rate": 0.1, "key": KEY, **changes}
    with pytest.raises(UserError, match=words) as caught:
        train(settings.pop("net"), settings.pop("task"), **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_of_wrong_parts_is_refused(name):
    arguments, words = FLOWS[name]
    with pytest.raises(UserError, match=words) as caught:
        flow(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: advance(None), "stepper must come from init.* but is None"),
        (lambda: advance(NET), r"is Committee\(.*; write for instance advance\(init\(net, task, batch_size=100, "),
        (lambda: advance(Stepper), "stepper must come from init"),
        (lambda: stability(lambda w: 1j * w, START), "The velocity must give real numbers, but gives complex128"),
        (lambda: stability(lambda w: -w, START, neutral=1j), "neutral must be from 0 to 1, but is 1j"),
        (lambda: stability(lambda w: -w, START, neutral=[]), r"neutral must be one number, but has shape \(0,\)"),
        (lambda: flow(lambda w: -w, START, [0.0, 1.0], atol=[]), r"atol must be one number, but has shape \(0,\)"),
    ],
)
def test_a_step_and_a_stability_of_wrong_parts_are_refused(call, words):
    with pytest.raises(UserError, match=words):
        call()


@pytest.mark.wrong_types
@pytest.mark.parametrize("run", [0.5, None, True, "0", -1])
def test_a_run_is_a_whole_number(run):
    with pytest.raises(UserError, match="run must be one of the 1 runs, counted from 0, but is"):
        one_run(NET, run)
