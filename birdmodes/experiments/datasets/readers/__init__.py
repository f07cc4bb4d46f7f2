"""Readers of published files, and of anyone's own.

What :mod:`~birdmodes.experiments.datasets.catalogue` calls a builder is a function here: it takes
the data folder and gives the bags, features as published, and the class of each instance, -1 where
it is not known. What is to be cited is in ``sets.toml``, too.
"""
