// Sets the chosen colours before anything is painted, so that a dark page does not flash white.
// Without a choice, the style sheet follows the system.
"use strict";

{
  let chosen = null;
  try {
    chosen = localStorage.getItem("birdmodes-theme");
  } catch {
    // Some browsers keep nothing for pages from disk.
  }
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset.theme = chosen;
  }
}
