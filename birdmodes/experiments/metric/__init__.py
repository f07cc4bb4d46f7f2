"""The experiment on clustering in a learned metric: whether it helps, and what it costs.

Pei & Fern's sets, runs and measures; see docs/benchmark.md.

- :mod:`~birdmodes.experiments.metric.protocol`: what is varied, and the tasks that makes;
- :mod:`~birdmodes.experiments.metric.spaces`: a set in the space of a metric, classes merged;
- :mod:`~birdmodes.experiments.metric.work`: one task, from bags to rows of figures;
- :mod:`~birdmodes.experiments.metric.results`: tables of runs, and of what a metric gains;
- :mod:`~birdmodes.experiments.metric.claims`: what is to be known, checked;
- :mod:`~birdmodes.experiments.metric.tables` and :mod:`~birdmodes.experiments.metric.report`: what
  is shown;
- :mod:`~birdmodes.experiments.metric.run`: all of it.
"""
