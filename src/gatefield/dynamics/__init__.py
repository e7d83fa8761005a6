"""How weights move."""

from gatefield.dynamics._flow import flow as flow
from gatefield.dynamics._flow_steady import stability as stability
from gatefield.dynamics._recorder import Found as Found
from gatefield.dynamics._recorder import Layout as Layout
from gatefield.dynamics._recorder import MemoryRecorder as MemoryRecorder
from gatefield.dynamics._recorder import Recorder as Recorder
from gatefield.dynamics._recorder import Variable as Variable
from gatefield.dynamics._session import Interrupted as Interrupted
from gatefield.dynamics._train import train as train

__all__ = ["Found", "Interrupted", "Layout", "MemoryRecorder", "Recorder", "Variable", "flow", "stability", "train"]
