"""Running things: what an experiment is, the store of records that survive a kill, and the runner.

An experiment of your own is a file that ends in `experiment = Experiment(...)`, with `Parameters` whose fields have types from
`kinds`, and `Verdict`s; `gatefield run FILE.py` runs it, and so does `run(experiment, resolve(experiment), Store("folder"))`.
Without a store, `experiment.simulate(parameters, MemoryBench())` gives the record. `ZarrRecorder` keeps a single training on
disk, `write_record` any other dataset; `open_record` opens both. `sweep` runs many of them over axes, `open_sweep` opens what a
sweep has found so far, and `do_block` does one block of it, anywhere.

Verdicts need errors: `mean_interval` and `standard_error` of means over seeds, `median_error` of medians, `proportion` and
`share` of counts; `exceeds` judges runs of the same seeds by their differences. `needs` says what a record lacks for a claim.
"""

from gatefield.core.intervals import Interval as Interval
from gatefield.core.intervals import mean_interval as mean_interval
from gatefield.core.intervals import median_error as median_error
from gatefield.core.intervals import proportion as proportion
from gatefield.core.intervals import share as share
from gatefield.core.intervals import standard_error as standard_error
from gatefield.lab import kinds as kinds
from gatefield.lab import needs as needs
from gatefield.lab.bench import Bench as Bench
from gatefield.lab.bench import MemoryBench as MemoryBench
from gatefield.lab.bench import Progress as Progress
from gatefield.lab.experiment import Experiment as Experiment
from gatefield.lab.experiment import Parameters as Parameters
from gatefield.lab.judge import DIVERGED as DIVERGED
from gatefield.lab.judge import judge as judge
from gatefield.lab.paired import exceeds as exceeds
from gatefield.lab.parameters import command as command
from gatefield.lab.parameters import resolve as resolve
from gatefield.lab.parameters import written as written
from gatefield.lab.runner import Outcome as Outcome
from gatefield.lab.runner import run as run
from gatefield.lab.store.disk import check_file as check_file
from gatefield.lab.store.disk import make_folder as make_folder
from gatefield.lab.store.disk import read_file as read_file
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
from gatefield.lab.sweeps.cluster.asked import check_cluster as check_cluster
from gatefield.lab.sweeps.cluster.drive import run_on_cluster as run_on_cluster
from gatefield.lab.sweeps.do_block import BlockOutcome as BlockOutcome
from gatefield.lab.sweeps.do_block import do_block as do_block
from gatefield.lab.sweeps.drive import Swept as Swept
from gatefield.lab.sweeps.drive import run_sweep as run_sweep
from gatefield.lab.sweeps.drive import sweep as sweep
from gatefield.lab.sweeps.foreseen import Beside as Beside
from gatefield.lab.sweeps.foreseen import foreseen as foreseen
from gatefield.lab.sweeps.plan import Plan as Plan
from gatefield.lab.sweeps.plan import plans as plans
from gatefield.lab.sweeps.plan import read_plan as read_plan
from gatefield.lab.sweeps.planner import planned as planned
from gatefield.lab.sweeps.removal import own_blocks as own_blocks
from gatefield.lab.sweeps.removal import remove_sweep as remove_sweep
from gatefield.lab.sweeps.results import open_sweep as open_sweep
from gatefield.lab.sweeps.results import plan_of as plan_of
from gatefield.lab.sweeps.state import SweepState as SweepState
from gatefield.lab.sweeps.state import state_of as state_of
from gatefield.lab.sweeps.sweep import Sweep as Sweep
from gatefield.lab.sweeps.sweep import read_sweep as read_sweep
from gatefield.lab.verdict import Kind as Kind
from gatefield.lab.verdict import Verdict as Verdict
from gatefield.lab.verdict import headline as headline

__all__ = [
    "DIVERGED",
    "About",
    "Bench",
    "Beside",
    "BlockOutcome",
    "Entry",
    "Experiment",
    "Holding",
    "Interval",
    "Kind",
    "MemoryBench",
    "Outcome",
    "Parameters",
    "Plan",
    "Progress",
    "Store",
    "Sweep",
    "SweepState",
    "Swept",
    "Verdict",
    "ZarrRecorder",
    "check_cluster",
    "check_file",
    "check_output",
    "command",
    "do_block",
    "exceeds",
    "foreseen",
    "headline",
    "holdings",
    "judge",
    "kinds",
    "load_study",
    "make_folder",
    "mean_interval",
    "median_error",
    "needs",
    "open_record",
    "open_sweep",
    "own_blocks",
    "parameter_values",
    "plan_of",
    "planned",
    "plans",
    "proportion",
    "read_file",
    "read_model",
    "read_plan",
    "read_sweep",
    "reading",
    "remove",
    "remove_sweep",
    "resolve",
    "run",
    "run_on_cluster",
    "run_sweep",
    "sealed",
    "share",
    "standard_error",
    "state_of",
    "sweep",
    "write_file",
    "write_json",
    "write_record",
    "writing",
    "written",
]
