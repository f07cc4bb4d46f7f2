"""Pages of the Python names of both packages, for mkdocstrings to fill."""

from __future__ import annotations

import ast
from pathlib import Path

import birdmodes

_ROOT = Path(birdmodes.__file__).parents[1]


def birdmodes_page() -> str:
    """Names of the façade, each as it is documented where it lives."""
    parts = [
        "# birdmodes in Python",
        "What `import birdmodes as bm` offers; see [in Python](../python.md).",
    ]
    for name in sorted(set(birdmodes.__all__) - {"__version__"}, key=str.lower):
        home = birdmodes._HOMES[name]
        parts.append(f"::: birdmodes.{home}.{name}\n    options:\n      heading: birdmodes.{name}")
    return "\n\n".join(parts) + "\n"


def algorithms_page() -> str:
    """Every module of ``algorithms`` that has public names."""
    parts = [
        "# algorithms in Python",
        "Every module that has public names; see [for methods researchers](../researchers.md).",
    ]
    for path in sorted((_ROOT / "algorithms").rglob("*.py")):
        if path.name != "__init__.py" and public_names(path):
            parts.append(f"::: {'.'.join(path.relative_to(_ROOT).with_suffix('').parts)}")
    return "\n\n".join(parts) + "\n"


def public_names(path: Path) -> list[str]:
    """Functions and classes that a module defines and does not keep to itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [each.name for each in tree.body if isinstance(each, kinds) and each.name[0] != "_"]
