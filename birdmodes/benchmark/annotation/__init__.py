"""The experiment on annotating whole bags, after Table 4 of Law et al. (2017).

- :mod:`~birdmodes.benchmark.annotation.entrants`: the methods that take part;
- :mod:`~birdmodes.benchmark.annotation.work`: one task, from a split to rows of figures;
- :mod:`~birdmodes.benchmark.annotation.claims`: what is said of the results, checked;
- :mod:`~birdmodes.benchmark.annotation.tables`, :mod:`~birdmodes.benchmark.annotation.figures` and
  :mod:`~birdmodes.benchmark.annotation.report`: what is shown;
- :mod:`~birdmodes.benchmark.annotation.experiment`: all of it, for
  :mod:`birdmodes.benchmark.held_out.run`.

References
----------
Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
data, CVPR 2017, section 4.2.
"""
