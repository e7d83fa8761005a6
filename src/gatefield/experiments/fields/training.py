"""How one ReLU neuron is trained: what can be changed of it, and what a claim needs to be as usual."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gatefield.lab.needs import Need, exactly

Boundary = Literal["ring", "line"]
Start = Literal["xavier", "basis", "normal"]
Readout = Literal["mean", "learned"]
Loss = Literal["mse", "cross-entropy"]
Optimizer = Literal["sgd", "momentum", "adam"]

MOMENTUM = 0.9
"""Of the optimiser `"momentum"`: a step of it goes 1/(1 - 0.9) times as far in the end."""
PACE: Mapping[str, float] = MappingProxyType({"sgd": 1.0, "momentum": 1 / (1 - MOMENTUM), "adam": math.nan})
"""The time of the flow in a step, over the learning rate. Adam's steps have no time of the flow."""


class Conditions(NamedTuple):
    """Of the data, of the network and of the training; by default those of the baseline.

    >>> Conditions(init="basis").net
    {'init': 'basis', 'readout': 'mean', 'output_bias': False}
    """

    boundary: Boundary = "ring"
    init: Start = "xavier"
    readout: Readout = "mean"
    output_bias: bool = False
    loss: Loss = "mse"
    optimizer: Optimizer = "sgd"

    @classmethod
    def of(cls, p: Any) -> "Conditions":
        """Those that parameters name."""
        return cls(*(getattr(p, name) for name in cls._fields))

    @classmethod
    def found(cls, attrs: Mapping[str, Any]) -> "Conditions":
        """Those that the attributes of a record name; what an older record does not name was as it is by default."""
        found = cls(*(attrs.get(name, usual) for name, usual in cls._field_defaults.items()))
        return found._replace(output_bias=bool(found.output_bias))

    @property
    def attrs(self) -> dict[str, str | int]:
        """As attributes of a record, among which truth is a number."""
        return {**self._asdict(), "output_bias": int(self.output_bias)}

    @property
    def net(self) -> dict[str, Any]:
        """For a committee."""
        return {name: getattr(self, name) for name in ("init", "readout", "output_bias")}

    @property
    def training(self) -> dict[str, Any]:
        """For `train`."""
        return {name: getattr(self, name) for name in ("loss", "optimizer")}

    def changed(self) -> dict[str, Any]:
        """What differs from the baseline.

        >>> Conditions(loss="cross-entropy", output_bias=True).changed()
        {'output_bias': True, 'loss': 'cross-entropy'}
        """
        return {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}

    def as_usual(self, *names: str) -> list[Need | None]:
        """That these, or all if none is named, are those of the baseline."""
        return [exactly(name, self._field_defaults[name], getattr(self, name)) for name in names or self._fields]

    def has_flow(self) -> bool:
        """Whether the gradient flow of a neuron without a bias on the squared error is that of this training."""
        return not self.changed().keys() - {"boundary", "init", "optimizer"} and self.optimizer != "adam"
