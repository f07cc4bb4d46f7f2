"""birdmodes: from field recordings with species lists to the vocal modes of every species."""

__version__ = "0.1.0"
