"""Receptive fields of single neurons and committees."""
