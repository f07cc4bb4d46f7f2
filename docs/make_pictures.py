"""Make the README's pictures: run the demo and photograph its gallery in headless Chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from birdmodes.demo import run_demo

HERE = Path(__file__).parent


def main() -> None:
    """Write gallery-index.png and gallery-species.png beside this script."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        sys.exit("Chromium is needed to make the pictures")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        result = run_demo(
            Path(folder) / "demo", workers=2, on_step=print, on_progress=lambda *at: None
        )
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(result.index.as_uri())
        page.screenshot(path=HERE / "gallery-index.png")
        page.locator("main a").first.click()
        page.wait_for_load_state()
        page.set_viewport_size({"width": 1280, "height": 1500})
        page.screenshot(path=HERE / "gallery-species.png")
        browser.close()


if __name__ == "__main__":
    main()
