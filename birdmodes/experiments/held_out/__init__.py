"""What the experiments of Law et al. (2017) share: parts of the bags are left out and told.

- :mod:`~birdmodes.experiments.held_out.names`: the problems that can be named;
- :mod:`~birdmodes.experiments.held_out.problems`: their bags and truth;
- :mod:`~birdmodes.experiments.held_out.protocol`: folds, settings and tasks;
- :mod:`~birdmodes.experiments.held_out.splits`: training bags, and test bags without their labels;
- :mod:`~birdmodes.experiments.held_out.features`: features prepared as the training bags ask for;
- :mod:`~birdmodes.experiments.held_out.learners`: the learners of a metric;
- :mod:`~birdmodes.experiments.held_out.work`: one task, from a split to rows of figures;
- :mod:`~birdmodes.experiments.held_out.results`: tables of folds and their means;
- :mod:`~birdmodes.experiments.held_out.experiment`: what an experiment consists of;
- :mod:`~birdmodes.experiments.held_out.run`: all of it.

References
----------
Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
data, CVPR 2017, section 4.
"""
