"""The experiments on whole bags, of the papers on m3ic and on mi-em.

- :mod:`~birdmodes.benchmark.bagwise.names`: the problems that can be named;
- :mod:`~birdmodes.benchmark.bagwise.problems`: their bags and truth, features prepared;
- :mod:`~birdmodes.benchmark.bagwise.entrants`: the methods that take part;
- :mod:`~birdmodes.benchmark.bagwise.protocol`: what is varied, and the tasks that makes;
- :mod:`~birdmodes.benchmark.bagwise.work`: one task, from bags to rows of figures;
- :mod:`~birdmodes.benchmark.bagwise.results`: tables of runs, and what is chosen from them;
- :mod:`~birdmodes.benchmark.bagwise.paper`: what is known of the papers' own figures;
- :mod:`~birdmodes.benchmark.bagwise.claims`: what the papers say of their results, checked;
- :mod:`~birdmodes.benchmark.bagwise.tables`, :mod:`~birdmodes.benchmark.bagwise.figures` and
  :mod:`~birdmodes.benchmark.bagwise.report`: what is shown;
- :mod:`~birdmodes.benchmark.bagwise.run`: all of it.

References
----------
Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.

Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006,
section 5.
"""
