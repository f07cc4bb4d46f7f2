"""The version, where everything inside the package can import it."""

__version__ = "0.1.0"
