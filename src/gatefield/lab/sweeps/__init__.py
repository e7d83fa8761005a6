"""Sweeps: many points over named axes, planned into blocks that share one program, each block an entry of the store."""
