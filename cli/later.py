"""Libraries are loaded fast: what nothing needs not at all, the others without looking for garbage.

scikit-learn and scipy import more than is needed here, which takes a tenth of the time of a small
`cluster`. `importlib.util.LazyLoader` is no help: the import statement itself asks its modules
something, and they are loaded.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any

SELDOM_NEEDED = ("scipy.spatial.transform", "scipy.stats")
"""Modules that libraries import for what hardly any command does."""

_lock = Lock()


class _Later(ModuleType):
    """Stands for a module until an attribute of it is wanted."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def load_later(*modules: str) -> None:
    """Have ``import`` statements of modules, such as ``scipy.stats``, load nothing yet."""
    for module in modules:
        sys.modules.setdefault(module, _Later(module))


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage while libraries are loaded, and never again in what they have left.

    They make several hundred thousand objects that stay.
    """
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
        gc.enable()
