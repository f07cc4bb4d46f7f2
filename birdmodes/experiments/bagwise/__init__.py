"""The experiments on whole bags, of the papers on m3ic and on mi-em.

- :mod:`~birdmodes.experiments.bagwise.names`: the problems that can be named;
- :mod:`~birdmodes.experiments.bagwise.problems`: their bags and truth, features prepared;
- :mod:`~birdmodes.experiments.bagwise.entrants`: the methods that take part;
- :mod:`~birdmodes.experiments.bagwise.protocol`: what is varied, and the tasks that makes;
- :mod:`~birdmodes.experiments.bagwise.work`: one task, from bags to rows of figures;
- :mod:`~birdmodes.experiments.bagwise.results`: tables of runs, and what is chosen from them;
- :mod:`~birdmodes.experiments.bagwise.paper`: what is known of the papers' own figures;
- :mod:`~birdmodes.experiments.bagwise.claims`: what the papers say of their results, checked;
- :mod:`~birdmodes.experiments.bagwise.tables`, :mod:`~birdmodes.experiments.bagwise.figures` and
  :mod:`~birdmodes.experiments.bagwise.report`: what is shown;
- :mod:`~birdmodes.experiments.bagwise.run`: all of it.

References
----------
Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.

Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006,
section 5.
"""
