// The page of a species: close-ups instead of what is around, with boxes or without.
"use strict";

{
  const page = document.documentElement;
  const view = document.getElementById("view");
  const outlines = document.getElementById("outlines");

  function showView() {
    birdmodes.pictures.stop();
    page.dataset.view = view.querySelector(":checked").value;
  }

  function showOutlines() {
    document.body.classList.toggle("no-outlines", !outlines.checked);
  }

  view?.addEventListener("change", showView);
  outlines.addEventListener("change", showOutlines);
  // Browsers may remember the switches.
  if (view) {
    showView();
  }
  showOutlines();

  // A link to a mode, as from the first page, is to show it below the toolbar that stays at the top.
  const toolbar = document.querySelector(".toolbar");
  new ResizeObserver(() => {
    page.style.setProperty("--toolbar", `${toolbar.getBoundingClientRect().height}px`);
  }).observe(toolbar);
}
