"""The experiment on clustering in a learned metric: whether it helps, and what it costs.

Pei & Fern's sets, runs and measures; see docs/benchmark.md.

- :mod:`~birdmodes.benchmark.metric.protocol`: what is varied, and the tasks that makes;
- :mod:`~birdmodes.benchmark.metric.spaces`: a set in the space of a metric, classes merged;
- :mod:`~birdmodes.benchmark.metric.work`: one task, from bags to rows of figures;
- :mod:`~birdmodes.benchmark.metric.results`: tables of runs, and of what a metric gains;
- :mod:`~birdmodes.benchmark.metric.claims`: what is to be known, checked;
- :mod:`~birdmodes.benchmark.metric.tables` and :mod:`~birdmodes.benchmark.metric.report`: what is
  shown;
- :mod:`~birdmodes.benchmark.metric.run`: all of it.
"""
