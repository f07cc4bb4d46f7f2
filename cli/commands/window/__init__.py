"""``birdmodes app``: the window, and what it shows of the other commands."""
