"""Convolutional gated networks."""
