"""What MkDocs does not do by itself: pages made from the code, and from files outside docs/."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mkdocs.structure.files import File, Files

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]

from commands import commands_page  # noqa: E402
from names import algorithms_page, birdmodes_page  # noqa: E402
from notebook import notebook_page  # noqa: E402

# Files beside docs/ that are pages of the site
_OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<target>[^)\s]+)\)")
_external: set[str] = set()


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the pages that are no files in docs/."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/birdmodes.md": birdmodes_page(),
        "reference/algorithms.md": algorithms_page(),
        "notebook.md": notebook_page(),
    }
    for name, page in _OUTSIDE.items():
        pages[page] = _LINK.sub(_from_root, (ROOT / name).read_text(encoding="utf-8"))
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def _from_root(link: re.Match[str]) -> str:
    """Link of a file at the root, seen from docs/."""
    text, target = link["text"], link["target"]
    if urlsplit(target).scheme or target.startswith("#"):
        return link[0]
    path = target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"
    return f"{text}({path})"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links out of docs/ to the pages made of these files, or show them as text."""

    def inside(link: re.Match[str]) -> str:
        text, target = link["text"], link["target"]
        if urlsplit(target).scheme in ("http", "https"):
            _external.add(target)
        path, mark, anchor = target.partition("#")
        if path == "notebook.ipynb":
            return f"{text}(notebook.md{mark}{anchor})"
        if not path.startswith("../") or page.file.src_uri.count("/"):
            return link[0]
        name = path.removeprefix("../")
        if not (ROOT / name).exists():
            raise FileNotFoundError(f"{page.file.src_uri}: {target} leads nowhere")
        if name in _OUTSIDE:
            return f"{text}({_OUTSIDE[name]}{mark}{anchor})"
        shown = text.strip("[]")
        return shown if shown.strip("`") == name else f"{shown} (`{name}`)"

    return _LINK.sub(inside, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """List links to elsewhere: whether these still lead somewhere no build can promise."""
    listed = Path(config["site_dir"]) / "external-links.txt"
    listed.write_text("".join(f"{each}\n" for each in sorted(_external)), encoding="utf-8")
    print(f"{len(_external)} external links: {listed}")
