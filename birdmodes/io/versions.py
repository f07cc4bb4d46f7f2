"""Which programs made a result."""

from __future__ import annotations

import platform
from importlib.metadata import version

LIBRARIES = ("numpy", "scipy", "scikit-learn")
"""Those that results depend on in the last digits."""


def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that compute.

    Returns
    -------
    dict of str to str
        Name to version.
    """
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
