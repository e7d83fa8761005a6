"""What mathematics says: closed forms, velocities, exact solutions."""

from gatefield.theory import nlgp as nlgp
from gatefield.theory import relu as relu

__all__ = ["nlgp", "relu"]
