"""Commands for methods researchers."""
