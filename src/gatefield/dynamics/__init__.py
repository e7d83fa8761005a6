"""How weights move."""

from gatefield.core.tracing.identity import fingerprint as fingerprint
from gatefield.dynamics.flow.flow import flow as flow
from gatefield.dynamics.flow.steady import stability as stability
from gatefield.dynamics.train.engine import runs_side_by_side as runs_side_by_side
from gatefield.dynamics.train.gpu.plan import Precision as Precision
from gatefield.dynamics.train.losses import LossName as LossName
from gatefield.dynamics.train.optimizers import OptimizerName as OptimizerName
from gatefield.dynamics.train.recorder import Layout as Layout
from gatefield.dynamics.train.recorder import MemoryRecorder as MemoryRecorder
from gatefield.dynamics.train.recorder import Recorder as Recorder
from gatefield.dynamics.train.recorder import Resumable as Resumable
from gatefield.dynamics.train.recorder import Variable as Variable
from gatefield.dynamics.train.session import Interrupted as Interrupted
from gatefield.dynamics.train.stepping import Stepper as Stepper
from gatefield.dynamics.train.stepping import advance as advance
from gatefield.dynamics.train.stepping import init as init
from gatefield.dynamics.train.train import Training as Training
from gatefield.dynamics.train.train import train as train

__all__ = [
    "Interrupted",
    "Layout",
    "LossName",
    "MemoryRecorder",
    "OptimizerName",
    "Precision",
    "Recorder",
    "Resumable",
    "Stepper",
    "Training",
    "Variable",
    "advance",
    "fingerprint",
    "flow",
    "init",
    "runs_side_by_side",
    "stability",
    "train",
]
