"""Blocks of a sweep over many processes, by dask.distributed: on this host, at a scheduler's address, or as SLURM jobs."""
