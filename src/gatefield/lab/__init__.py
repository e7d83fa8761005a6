"""Running things: what an experiment is, the store of records that survive a kill, and the runner.

An experiment of your own is a file that ends in `experiment = Experiment(...)`, with `Parameters` whose fields have types from
`kinds`, and `Verdict`s; `gatefield run FILE.py` runs it, and so does `run(experiment, resolve(experiment), Store("folder"))`.
Without a store, `experiment.simulate(parameters, MemoryBench())` gives the record. `ZarrRecorder` keeps a single training on
disk, `write_record` any other dataset; `open_record` opens both.
"""

from gatefield.lab import kinds as kinds
from gatefield.lab.bench import Bench as Bench
from gatefield.lab.bench import MemoryBench as MemoryBench
from gatefield.lab.bench import Progress as Progress
from gatefield.lab.experiment import Experiment as Experiment
from gatefield.lab.experiment import Parameters as Parameters
from gatefield.lab.judge import DIVERGED as DIVERGED
from gatefield.lab.judge import judge as judge
from gatefield.lab.parameters import command as command
from gatefield.lab.parameters import resolve as resolve
from gatefield.lab.parameters import written as written
from gatefield.lab.runner import Outcome as Outcome
from gatefield.lab.runner import run as run
from gatefield.lab.store.disk import check_file as check_file
from gatefield.lab.store.disk import make_folder as make_folder
from gatefield.lab.store.disk import reading as reading
from gatefield.lab.store.disk import write_file as write_file
from gatefield.lab.store.disk import writing as writing
from gatefield.lab.store.format import read_model as read_model
from gatefield.lab.store.format import sealed as sealed
from gatefield.lab.store.holdings import Holding as Holding
from gatefield.lab.store.holdings import holdings as holdings
from gatefield.lab.store.holdings import remove as remove
from gatefield.lab.store.json import write_json as write_json
from gatefield.lab.store.output import check_output as check_output
from gatefield.lab.store.recorder import ZarrRecorder as ZarrRecorder
from gatefield.lab.store.records import open_record as open_record
from gatefield.lab.store.records import write_record as write_record
from gatefield.lab.store.store import About as About
from gatefield.lab.store.store import Entry as Entry
from gatefield.lab.store.store import Store as Store
from gatefield.lab.store.store import parameter_values as parameter_values
from gatefield.lab.study import load_study as load_study
from gatefield.lab.verdict import Verdict as Verdict
from gatefield.lab.verdict import headline as headline

__all__ = [
    "DIVERGED",
    "About",
    "Bench",
    "Entry",
    "Experiment",
    "Holding",
    "MemoryBench",
    "Outcome",
    "Parameters",
    "Progress",
    "Store",
    "Verdict",
    "ZarrRecorder",
    "check_file",
    "check_output",
    "command",
    "headline",
    "holdings",
    "judge",
    "kinds",
    "load_study",
    "make_folder",
    "open_record",
    "parameter_values",
    "read_model",
    "reading",
    "remove",
    "resolve",
    "run",
    "sealed",
    "write_file",
    "write_json",
    "write_record",
    "writing",
    "written",
]
