"""Spectral clusterers of instances."""
