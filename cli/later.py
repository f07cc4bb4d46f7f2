"""Libraries are loaded fast: what nothing needs not at all, the others without looking for garbage.

scikit-learn, scipy and pandas import more than they need here, which takes a tenth of the time of a
small `cluster`. `importlib.util.LazyLoader` is no help: the import statement itself asks its
modules something, and they are loaded.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import Lock
from types import ModuleType
from typing import Any

SELDOM_NEEDED = (
    "asyncio",
    "numpy.f2py",
    "numpy.testing",
    "scipy.spatial.transform",
    "scipy.stats",
)
"""Modules that libraries import for what hardly any command does."""

_lock = Lock()


class _Later(ModuleType):
    """Stands for a module until an attribute of it is wanted."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            _finder.modules.discard(self.__name__)
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


class _Loader(Loader):
    """Loads nothing."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave that to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Have the module wait."""
        # Python asks a package for its path when it wants what is below.
        vars(module).pop("__path__", None)
        module.__class__ = _Later


class _Finder(MetaPathFinder):
    """Finds, before others do, the modules that are to be loaded later."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module where it is, but have it wait."""
        if fullname not in self.modules:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None:
            spec.loader = _Loader()
        return spec


_finder = _Finder()


def load_later(*modules: str) -> None:
    """Have ``import`` statements of modules, such as ``scipy.stats``, load nothing yet."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    _finder.modules.update(modules)


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
