"""What JAX makes of functions: shapes and compiled programs."""

__all__ = ["functions", "identity", "programs", "vectors"]
