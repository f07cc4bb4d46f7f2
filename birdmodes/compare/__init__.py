"""``compare``: two clusterings of the same syllables side by side."""
