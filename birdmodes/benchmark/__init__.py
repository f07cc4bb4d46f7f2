"""The experiments of Pei & Fern (2013), section 5, on any set of labelled bags with truth.

- :mod:`~birdmodes.benchmark.protocol`: what is varied, and the tasks that makes;
- :mod:`~birdmodes.benchmark.entrants`: the methods that take part;
- :mod:`~birdmodes.benchmark.work`: one task, from bags to rows of figures;
- :mod:`~birdmodes.benchmark.store`: the folder that keeps finished tasks;
- :mod:`~birdmodes.benchmark.progress`: working through the tasks that are not finished;
- :mod:`~birdmodes.benchmark.results`: tables of runs, their means and deviations;
- :mod:`~birdmodes.benchmark.claims`: what the paper says of its results, checked;
- :mod:`~birdmodes.benchmark.figures` and :mod:`~birdmodes.benchmark.report`: what is shown;
- :mod:`~birdmodes.benchmark.run`: all of it;
- :mod:`birdmodes.benchmark.bagwise`: the experiments of other papers, on whole bags.

References
----------
Pei & Fern, Constrained instance clustering in multi-instance multi-label learning (2013).
"""
