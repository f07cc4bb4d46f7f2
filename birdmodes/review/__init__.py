"""A person's corrections of a clustering: read, applied, kept and used again."""
