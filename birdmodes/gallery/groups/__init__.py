"""The pages of recording groups."""
