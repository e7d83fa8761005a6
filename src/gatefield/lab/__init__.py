"""Running things: the store, the runner, and records that survive a kill."""

from gatefield.lab._bench import MemoryBench as MemoryBench
from gatefield.lab._ledger import Finding as Finding
from gatefield.lab._ledger import check as check
from gatefield.lab._ledger import ledger as ledger
from gatefield.lab._ledger_file import Ledger as Ledger
from gatefield.lab._ledger_file import read_ledger as read_ledger
from gatefield.lab._ledger_file import write_ledger as write_ledger
from gatefield.lab._marker import RECORD_FORMAT as RECORD_FORMAT
from gatefield.lab._parameters import resolve as resolve
from gatefield.lab._records import open_record as open_record
from gatefield.lab._records import write_record as write_record
from gatefield.lab._runner import Outcome as Outcome
from gatefield.lab._runner import run as run
from gatefield.lab._store import Entry as Entry
from gatefield.lab._store import Store as Store
from gatefield.lab._store import run_id as run_id
from gatefield.lab._zarr_recorder import ZarrRecorder as ZarrRecorder
