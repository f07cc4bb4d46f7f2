"""What was counted of a workspace, kept as long as the files that were counted stay the same."""
