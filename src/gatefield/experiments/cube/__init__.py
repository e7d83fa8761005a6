"""Data on the corners of the hypercube."""
