"""A cluster of SLURM jobs, by dask-jobqueue: each job is a worker; lost ones are asked for again."""

import shutil
import subprocess
import tempfile
import time
from typing import Any

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.sweeps.cluster.options import Options

AGAIN = 10.0
"""Seconds between looks whether jobs have to be asked for again."""


class Slurm:
    """Jobs of SLURM, with the scheduler in the driver's process."""

    def __init__(self, options: Options) -> None:
        if not shutil.which("sbatch"):
            raise UserError("SLURM is not here, since there is no program 'sbatch': run this on a host that can submit jobs.")
        self._options, self._cluster, self._asked = options, None, 0.0

    def client(self) -> Any:
        """A client of the scheduler, which is started here, and jobs asked for."""
        from distributed import Client

        if self._cluster is None:
            from dask_jobqueue.slurm import SLURMCluster

            words = keywords(self._options)
            check_script(script(words))
            self._cluster = SLURMCluster(**words, interface=self._options.interface, scheduler_options={"dashboard": False})
        self.tend(None)
        return Client(self._cluster, set_as_default=False)

    def tend(self, client: Any) -> bool:
        """Ask for jobs again that ended: by the time limit, by preemption, or with their host."""
        assert self._cluster is not None
        if time.monotonic() - self._asked > AGAIN:
            self._asked = time.monotonic()
            self._cluster.scale(jobs=self._options.jobs)
        return True

    def landed(self) -> None:
        """Nothing to note."""

    def close(self) -> None:
        """Cancel the jobs."""
        if self._cluster is not None:
            self._cluster.close(timeout=20)
            self._cluster = None


def keywords(options: Options) -> dict[str, Any]:
    """The options as dask-jobqueue has them, for one worker of one thread in each job."""
    gpus = [f"--gpus={options.gpus}"] if options.gpus else []
    threads = f"export NPROC={options.cores}"  # where SLURM does not confine jobs, XLA would start threads for all cores
    return {
        "queue": options.queue,
        "account": options.account,
        "walltime": options.walltime,
        "job_name": "gatefield",
        "cores": 1,  # threads of a worker, which does one block at a time
        "processes": 1,
        "job_cpu": options.cores,
        "memory": options.memory,
        "job_script_prologue": [threads, *(f"module load {name}" for name in options.modules), *options.prologue],
        "job_extra_directives": [*gpus, *options.directives],
        "log_directory": options.logs,
    }


def script(words: dict[str, Any]) -> str:
    """The script of a job, as `sbatch` gets it."""
    from dask_jobqueue.slurm import SLURMJob

    return SLURMJob("tcp://127.0.0.1:1", name="worker", **words).job_script()


def check_script(text: str) -> None:
    """See that SLURM takes such a job, before any is asked for."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write(text)
        file.flush()
        tried = subprocess.run(["sbatch", "--test-only", file.name], capture_output=True, text=True, check=False)
    if tried.returncode:
        said = [line.removeprefix("sbatch: ").removeprefix("error: ") for line in tried.stderr.splitlines() if line.strip()]
        raise UserError(
            f"SLURM does not take a job with the options under [cluster] ({quoted('; '.join(said))[1:-1]}): put them right."
        )
