"""The notebook: run its cells, keep what they print and draw, and show it as a page."""

from __future__ import annotations

import base64
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

NOTEBOOK = Path(__file__).parents[1] / "notebook.ipynb"


def read_notebook() -> dict[str, Any]:
    """The notebook as it is stored."""
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def run_cells(notebook: dict[str, Any]) -> dict[str, Any]:
    """Run all cells of code in turn, in the current folder, and keep their outputs in them.

    Returns
    -------
    dict
        Names that the cells have defined.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, start=1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), names)  # noqa: S102
        text = printed.getvalue().splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = (
            [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
        )
        for figure in map(plt.figure, plt.get_fignums()):
            cell["outputs"].append(_drawn(figure))
            plt.close(figure)
    return names


def _drawn(figure: Any) -> dict[str, Any]:
    picture = io.BytesIO()
    # without the version of matplotlib, so that the same figure is the same file
    figure.savefig(picture, format="png", dpi=80, metadata={"Software": None})
    data = base64.b64encode(picture.getvalue()).decode()
    return {"data": {"image/png": data}, "metadata": {}, "output_type": "display_data"}


def notebook_page() -> str:
    """Markdown of the notebook with its stored outputs."""
    return "\n\n".join(part for cell in read_notebook()["cells"] for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    parts = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
        else:
            parts.append(f"![Figure](data:image/png;base64,{output['data']['image/png']})")
    return parts
