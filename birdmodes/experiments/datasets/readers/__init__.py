"""Readers of published files, and of anyone's own, each a module."""
