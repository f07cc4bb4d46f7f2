"""The experiments of the papers: protocol, entrants and claims of each, a file a paper."""
