"""Formats of label files: one module for each kind, all giving the same entries."""
