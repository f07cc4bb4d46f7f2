"""Make the README's pictures: run the demo and photograph its gallery in headless Chromium.

The recordings are grouped after all else, so that the other pictures are what the demo shows.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import threading
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from birdmodes.app.context import Context
from birdmodes.app.jobs import stop
from birdmodes.app.projects import Projects
from birdmodes.app.server import listen, make_app, make_server
from birdmodes.demo import run_demo, sample_data
from birdmodes.gallery import build_gallery
from birdmodes.groups.find import GroupOptions, find_groups
from birdmodes.groups.grouping import write_grouping
from birdmodes.modes.clustering import Clustering
from birdmodes.workspace.store import Workspace
from cli.commands.window.app import window_forms

HERE = Path(__file__).parent
GROUPS = GroupOptions("kmeans-vote", k=4)
# Where a person would have them; the folder that is photographed is gone a moment later.
PLAUSIBLE = "/home/ann/Recordings"
RENAME = """([before, after]) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    texts.currentNode.data = texts.currentNode.data.replaceAll(before, after);
  }
}"""
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


def main() -> None:
    """Write gallery-index.png, -species, -review, -map, -groups and app.png beside this script."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.exit("Chromium is needed to make the pictures")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        result = run_demo(
            Path(folder) / "demo", workers=2, on_step=print, on_progress=lambda *at: None
        )
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        page.goto(result.index.as_uri())
        page.screenshot(path=HERE / "gallery-index.png")
        page.locator("a[href^='species/']").first.click()
        page.wait_for_load_state()
        page.set_viewport_size({"width": 1280, "height": 1175})
        page.screenshot(path=HERE / "gallery-species.png")
        page.get_by_text("Review", exact=True).first.click()
        page.locator("[data-syllable] img").nth(1).click()
        page.set_viewport_size({"width": 1280, "height": 860})
        page.screenshot(path=HERE / "gallery-review.png")
        page.get_by_role("button", name="Close").click()
        page.goto(result.index.with_name("map.html").as_uri())
        page.wait_for_timeout(500)  # until all points are drawn
        page.mouse.move(528, 628)
        page.wait_for_timeout(200)
        page.screenshot(path=HERE / "gallery-map.png")
        add_groups(Path(folder) / "demo" / "workspace", result.clustering, result.index.parent)
        page.goto(result.index.with_name("groups.html").as_uri())
        page.screenshot(path=HERE / "gallery-groups.png")
        show_window(page, Path(folder))
        browser.close()
    use_palettes()


def show_window(page: Page, folder: Path) -> None:
    """Photograph the window while it finds the sounds of the sample recordings."""
    recordings = folder / "dawn chorus 2024"
    shutil.copytree(sample_data() / "recordings", recordings)
    program = (sys.executable, "-P", "-m", "cli")
    context = Context(program, window_forms(), Projects(folder / "state"))
    project = context.projects.open(str(recordings))
    with contextlib.closing(listen(0)) as taken:
        port = taken.getsockname()[1]
        server = make_server(make_app(context, port))
        thread = threading.Thread(target=server.run, args=([taken],))
        thread.start()
        page.goto(f"http://127.0.0.1:{port}/{context.token}/p/{project.id}/modes")
        page.get_by_label("k", exact=True).fill("auto")
        page.get_by_role("button", name="Start").click()
        page.get_by_text("left (").wait_for(timeout=120_000)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.evaluate(RENAME, [str(folder), PLAUSIBLE])
        page.screenshot(path=HERE / "app.png")
        stop(project.workspace)
        page.close()
        server.should_exit = True
        thread.join()


def use_palettes() -> None:
    """Write the pictures again with 256 colours each, in a third of the bytes."""
    for path in sorted(HERE.glob("*.png")):
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(path, optimize=True)


def add_groups(folder: Path, clustering: Clustering, gallery: Path) -> None:
    """Group the demo's recordings, and add them to its gallery."""
    workspace = Workspace.open(folder)
    grouping = find_groups(workspace, GROUPS, on_step=print).grouping
    write_grouping(workspace, grouping)
    build_gallery(workspace, clustering, gallery, grouping=grouping, workers=2)


if __name__ == "__main__":
    main()
