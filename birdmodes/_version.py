"""The version, in its one place: the build and everything inside the package read it here."""

__version__ = "1.0.0"
