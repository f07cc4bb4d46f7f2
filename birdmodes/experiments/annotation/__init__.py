"""The experiment on annotating whole bags, after Table 4 of Law et al. (2017).

- :mod:`~birdmodes.experiments.annotation.entrants`: the methods that take part;
- :mod:`~birdmodes.experiments.annotation.work`: one task, from a split to rows of figures;
- :mod:`~birdmodes.experiments.annotation.claims`: what is said of the results, checked;
- :mod:`~birdmodes.experiments.annotation.tables`, :mod:`~birdmodes.experiments.annotation.figures`
  and :mod:`~birdmodes.experiments.annotation.report`: what is shown;
- :mod:`~birdmodes.experiments.annotation.experiment`: all of it, for
  :mod:`birdmodes.experiments.held_out.run`.

References
----------
Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
data, CVPR 2017, section 4.2.
"""
