"""A library that another one imports, but that nothing needs: loaded once something is asked of it.

scikit-learn imports scipy.stats, which takes a tenth of the time of a small `cluster`, for
one function that nothing here calls. `importlib.util.LazyLoader` is no help: the import statement
itself asks its modules something, and they are loaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any

_lock = Lock()


class _Later(ModuleType):
    """Stands for a module until an attribute of it is wanted."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def load_later(module: str) -> None:
    """Have ``import`` statements of a module, such as ``scipy.stats``, load nothing yet."""
    sys.modules.setdefault(module, _Later(module))
