"""From the label sets of bags to the species of clusters and instances."""
