import dataclasses
import math
import shlex
from typing import Literal

import pydantic
import pytest
from lab_toy import toy

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.lab import resolve
from gatefield.lab.experiment import Parameters
from gatefield.lab.parameters import command, parsed


class WideParameters(Parameters):
    """Parameters of every kind."""

    gain: float = 3.0
    steps: int = pydantic.Field(default=10, ge=1)
    labels: tuple[float, float] = (1.0, 0.0)
    gates: tuple[str, ...] = ("half", "zero")
    bias: bool = False
    init: Literal["none", "xavier"] = "xavier"
    xi: float | None = None
    note: str = ""
    record_every: int = 5

    @pydantic.field_validator("gain")
    @classmethod
    def _gain(cls, value):
        return float(checks.gain(value))

    @pydantic.field_validator("note")
    @classmethod
    def _note(cls, value):
        if value == "bad":
            raise ValueError("notes must be good")
        return value

    @pydantic.model_validator(mode="after")
    def _together(self):
        if self.bias and self.steps > 1000:
            raise ValueError("biases take at most 1000 steps")
        return self


WIDE = dataclasses.replace(
    toy(), name="wide", Parameters=WideParameters, presets={"quick": {}, "full": {"steps": 500, "gain": math.inf}}
)


def test_presets_then_overrides():
    assert resolve(WIDE).steps == 10
    assert resolve(WIDE, "full").steps == 500
    assert resolve(WIDE, "full", ["steps=20"]) == WideParameters(steps=20, gain=math.inf)
    assert resolve(WIDE, overrides={"steps": 7, "labels": "2,1"}) == WideParameters(steps=7, labels=(2, 1))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("gain=2", 2.0),
        ("gain=.5", 0.5),
        ("gain=inf", math.inf),
        ("gain=Infinity", math.inf),
        ("steps=2e3", 2000),
        ("steps = 1_000", 1000),
        ("labels=2,1", (2.0, 1.0)),
        ("labels=[2,1]", (2.0, 1.0)),
        ("gates=one,half", ("one", "half")),
        ("gates=[one, half]", ("one", "half")),
        ('gates=["one"]', ("one",)),
        ("bias=true", True),
        ("bias=false", False),
        ("init=none", "none"),
        ("xi=none", None),
        ("xi=null", None),
        ("xi=2", 2.0),
        ("note=12", "12"),
        ("note=1,2", "1,2"),
        ("note=a=b", "a=b"),
        ("record-every=7", 7),
    ],
)
def test_texts_are_read_as_their_parameter_needs(text, value):
    name = text.partition("=")[0].strip().replace("-", "_")
    assert getattr(resolve(WIDE, overrides=[text]), name) == value


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        (["gian=3"], "Unknown parameter 'gian': did you mean 'gain'? There are: bias, gain, gates, "),
        (["gain=3", "gain=4"], "gain is given twice, as '3' and '4': leave one of them out."),
        (["gain"], "A setting is written name=value, but 'gain' has no '='; write for instance gain=3."),
        (["gain=-1"], "gain must be zero or more ('inf' is the hypercube), but is -1; write for instance gain=2."),
        (["steps=0"], "steps must be at least 1, but is 0; write for instance steps=10."),
        (["steps=1.5"], "steps must be a whole number, but is 1.5; write for instance steps=10."),
        (["steps=abc"], "steps must be a whole number, but is 'abc'; write for instance steps=10."),
        (["steps=1 # one"], "steps must be a whole number, but is '1 # one'"),
        (["steps=07:32:00"], "steps must be a whole number, but is '07:32:00'"),
        (["steps={a=1}"], "steps must be a whole number, but is '{a=1}'"),
        (["steps=true"], "steps must be a whole number, but is True; write for instance steps=1."),
        (["gain=true"], "gain must be a number, but is True; write for instance gain=1."),
        (["labels=1,true"], "labels must be a number, but is [1, True]"),
        (["bias=yes"], "bias must be true or false, but is 'yes'; write for instance bias=true."),
        (["bias=1"], "bias must be true or false, but is 1"),
        (["steps=1\nx = 2"], "steps must be written in one line, but is '1\\nx = 2'; leave the line break out."),
        (["xi=abc"], "xi must be a number, but is 'abc'; write for instance xi=none."),
        (["labels=1,2,3"], "labels must have at most 2 values, but has 3; write for instance labels=[1.0,0.0]."),
        (["labels=[1]"], "labels must have more values; write for instance labels=[1.0,0.0]."),
        (["labels=1,b"], "labels[1] must be a number, but is 'b'; write for instance labels=[1.0,0.0]."),
        (["gates=3,4"], "gates[0] must be a text, but is 3; write for instance gates=[half,zero]."),
        (["init=xaver"], "init must be 'none' or 'xavier', but is 'xaver'; write for instance init=xavier."),
        (["note=bad"], "note = 'bad' is not allowed: notes must be good; leave note out."),
        (["bias=true", "steps=2000"], "These parameters together are not allowed: biases take at most 1000 steps; change one"),
        (["labels=1"], "labels must be a list, but is 1; write for instance labels=[1.0,0.0]."),
    ],
)
def test_what_is_wrong_is_one_sentence(overrides, sentence):
    with pytest.raises(UserError) as error:
        resolve(WIDE, overrides=overrides)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_a_parameter_without_default_has_to_be_given():
    class Bare(Parameters):
        size: int

    bare = dataclasses.replace(toy(), name="bare", Parameters=Bare)
    with pytest.raises(UserError, match=r"^size has no default value; give it one by --set size=VALUE\.$"):
        resolve(bare)
    with pytest.raises(UserError, match=r"^size must be a whole number, but is 'many'\.$"):
        resolve(bare, overrides=["size=many"])
    assert resolve(bare, overrides=["size=3"]).size == 3


@pytest.mark.parametrize("name", list(WideParameters.model_fields))
@pytest.mark.parametrize("text", ["[" * 2000, "[" * 2000 + "]" * 2000, "9" * 5000, "x" * 5000, "1," * 3000 + "b"], ids=len)
def test_a_long_value_is_not_repeated(name, text):
    said = ""
    try:
        resolve(WIDE, overrides=[f"{name}={text}"])
    except UserError as error:
        said = str(error)
    assert len(said) < 400
    assert "\n" not in said


def test_a_number_beyond_all_floats_is_told_by_its_digits():
    for name in ("gain", "steps", "xi", "record_every"):
        with pytest.raises(UserError, match=f"^{name} must be less than 1e308, but is a number of 5000 digits"):
            resolve(WIDE, overrides=[f"{name}={'9' * 5000}"])
    assert resolve(WIDE, overrides=[f"note={'9' * 5000}"]).note == "9" * 5000
    with pytest.raises(UserError, match=r"^steps must be a finite number, but is inf; write for instance steps=10\.$"):
        resolve(WIDE, overrides=["steps=inf"])


def test_true_is_no_number_in_python_either():
    with pytest.raises(pydantic.ValidationError, match="steps must be a whole number, but is True"):
        WideParameters(steps=True)
    with pytest.raises(pydantic.ValidationError, match="bias must be true or false, but is 1"):
        WideParameters(bias=1)


def test_an_unknown_preset():
    with pytest.raises(UserError, match="Unknown preset 'qick': did you mean 'quick'"):
        resolve(WIDE, "qick")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"gain": math.inf, "labels": (2, -1e-7), "gates": ("one",), "bias": True, "init": "none", "xi": 1 / 3},
        {"note": "two words, and a comma", "gates": ()},
    ],
)
def test_the_command_makes_the_same_parameters(changes):
    parameters = WideParameters(**changes)
    words = shlex.split(command("wide", parameters.model_dump()))
    assert words[:3] == ["gatefield", "run", "wide"]
    assert set(words[3::2]) == {"--set"}
    assert resolve(WIDE, "full", words[4::2]) == parameters


def test_a_comma_behind_one_value_makes_a_list():
    assert (parsed("3"), parsed("3,"), parsed("3,4"), parsed("half,")) == (3, [3], [3, 4], ["half"])
