"""Deep gated networks."""
