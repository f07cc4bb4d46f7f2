"""Files that are very many: whether any has changed, and what was read of them, in one file."""
