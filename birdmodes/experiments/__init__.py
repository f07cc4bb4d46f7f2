"""Experiments of papers, on public data or anyone's own: each is two files in ``papers/``.

What is data of it (entrants, columns, protocol, words, claims) is in ``<experiment>.toml``, what is
done in Python; words and looks of all tables and figures are in ``words.toml``.

- :mod:`~birdmodes.experiments.experiment`: what an experiment consists of;
- :mod:`~birdmodes.experiments.names`: what can be named, and where it is;
- :mod:`~birdmodes.experiments.paper`: what reads the data;
- :mod:`~birdmodes.experiments.papers`: the experiments;
- :mod:`~birdmodes.experiments.work`: what its tasks do;
- :mod:`~birdmodes.experiments.shown`: its tables and figures;
- :mod:`~birdmodes.experiments.run`: the one runner: tasks, tables, report;
- :mod:`~birdmodes.experiments.store`: the folder that keeps finished tasks;
- :mod:`~birdmodes.experiments.claims` and :mod:`~birdmodes.experiments.judges`: what is said of
  results, checked;
- :mod:`~birdmodes.experiments.datasets`: the data.
"""
