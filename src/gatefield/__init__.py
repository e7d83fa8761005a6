"""gatefield: a laboratory for gated networks and the receptive fields they learn."""
