"""Sweeps, shown: how far one is, and what it found."""
