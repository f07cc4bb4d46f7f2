"""Multi-instance classifiers that tell which classes a bag has, one against the rest."""
