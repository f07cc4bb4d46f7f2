"""The experiments of Pei & Fern (2013), section 5, on any set of labelled bags with truth.

- :mod:`~birdmodes.experiments.protocol`: what is varied, and the tasks that makes;
- :mod:`~birdmodes.experiments.entrants`: the methods that take part;
- :mod:`~birdmodes.experiments.work`: one task, from bags to rows of figures;
- :mod:`~birdmodes.experiments.store`: the folder that keeps finished tasks;
- :mod:`~birdmodes.experiments.progress`: working through the tasks that are not finished;
- :mod:`~birdmodes.experiments.results`: tables of runs, their means and deviations;
- :mod:`~birdmodes.experiments.claims`: what the paper says of its results, checked;
- :mod:`~birdmodes.experiments.figures` and :mod:`~birdmodes.experiments.report`: what is shown;
- :mod:`~birdmodes.experiments.run`: all of it;
- :mod:`birdmodes.experiments.bagwise`: the experiments of other papers, on whole bags.

References
----------
Pei & Fern, Constrained instance clustering in multi-instance multi-label learning (2013).
"""
