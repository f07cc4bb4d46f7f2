"""Files and tables as such: atomic writes, locks, delimited text, pages from templates."""
