"""The experiment on instances: what a learned metric is worth for telling their classes.

- :mod:`~birdmodes.experiments.instance_accuracy.entrants`: the methods that take part;
- :mod:`~birdmodes.experiments.instance_accuracy.ways`: class means and rules;
- :mod:`~birdmodes.experiments.instance_accuracy.alphas`: the weight of rule 16, chosen;
- :mod:`~birdmodes.experiments.instance_accuracy.work`: one task, from a fold to rows of figures;
- :mod:`~birdmodes.experiments.instance_accuracy.claims`: what the paper says, checked;
- :mod:`~birdmodes.experiments.instance_accuracy.tables`,
  :mod:`~birdmodes.experiments.instance_accuracy.figures` and
  :mod:`~birdmodes.experiments.instance_accuracy.report`: what is shown;
- :mod:`~birdmodes.experiments.instance_accuracy.experiment`: all of it.

References
----------
Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
data, CVPR 2017, section 4.1.
"""
