// Sets the chosen colours before anything is painted, so that a dark page does not flash white.
// Without a choice, the style sheet follows the system, and pictures are ink on paper.
"use strict";

{
  const page = document.documentElement;
  const kept = (name) => {
    try {
      return localStorage.getItem(`birdmodes-${name}`);
    } catch {
      return null; // some browsers keep nothing for pages from disk
    }
  };
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") {
    page.dataset.theme = theme;
  }
  const palette = kept("palette");
  if (["inferno", "viridis", "magma"].includes(palette)) {
    page.dataset.palette = palette;
  }
  const contrast = Number(kept("contrast"));
  if (contrast >= 0.5 && contrast <= 2) {
    page.style.setProperty("--contrast", String(contrast));
  }
}
