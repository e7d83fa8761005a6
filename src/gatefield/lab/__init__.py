"""Running things: the store, the runner, and records that survive a kill."""

from gatefield.lab.bench import MemoryBench as MemoryBench
from gatefield.lab.experiment import Bench as Bench
from gatefield.lab.experiment import Experiment as Experiment
from gatefield.lab.experiment import Parameters as Parameters
from gatefield.lab.experiment import Verdict as Verdict
from gatefield.lab.parameters import resolve as resolve
from gatefield.lab.runner import Outcome as Outcome
from gatefield.lab.runner import run as run
from gatefield.lab.store.marker import RECORD_FORMAT as RECORD_FORMAT
from gatefield.lab.store.recorder import ZarrRecorder as ZarrRecorder
from gatefield.lab.store.records import open_record as open_record
from gatefield.lab.store.records import write_record as write_record
from gatefield.lab.store.store import Entry as Entry
from gatefield.lab.store.store import Store as Store
from gatefield.lab.store.store import run_id as run_id
