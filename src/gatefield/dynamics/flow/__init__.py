"""Gradient flow."""
