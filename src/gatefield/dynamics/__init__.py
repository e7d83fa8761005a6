"""How weights move."""

from gatefield.dynamics.flow.flow import flow as flow
from gatefield.dynamics.flow.steady import stability as stability
from gatefield.dynamics.train.recorder import Found as Found
from gatefield.dynamics.train.recorder import Layout as Layout
from gatefield.dynamics.train.recorder import MemoryRecorder as MemoryRecorder
from gatefield.dynamics.train.recorder import Recorder as Recorder
from gatefield.dynamics.train.recorder import Variable as Variable
from gatefield.dynamics.train.session import Interrupted as Interrupted
from gatefield.dynamics.train.train import train as train

__all__ = ["Found", "Interrupted", "Layout", "MemoryRecorder", "Recorder", "Variable", "flow", "stability", "train"]
