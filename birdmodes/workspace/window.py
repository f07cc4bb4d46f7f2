"""Where the window keeps, in a workspace, what it has started there; nothing heavy is imported."""

WINDOW = "app"
"""Name of the folder."""
