"""Run notebook.ipynb in an empty folder, and store what its cells print and draw."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl

sys.path.insert(0, str(Path(__file__).parent / "site_pages"))
from notebook import NOTEBOOK, read_notebook, run_cells


def main() -> None:
    """Write the notebook anew."""
    mpl.use("agg")
    notebook = read_notebook()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run_cells(notebook)
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
