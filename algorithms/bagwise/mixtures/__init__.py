"""Mixture models of instances and of bags, which MI-EM is made of."""
