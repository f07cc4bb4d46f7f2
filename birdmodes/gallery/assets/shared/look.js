// The colours and the contrast of all pictures, as far as the page has controls for them. Pictures are
// grey and are coloured by filters, so that one set of files serves all. What is chosen holds for
// all pages.
"use strict";

{
  const page = document.documentElement;

  function keep(name, value) {
    try {
      localStorage.setItem(`birdmodes-${name}`, value);
    } catch {
      // Not kept, but shown.
    }
  }

  const SETTERS = {
    palette(value) {
      if (value === "ink") {
        delete page.dataset.palette;
      } else {
        page.dataset.palette = value;
      }
    },
    contrast(value) {
      page.style.setProperty("--contrast", value);
    },
  };

  const CURRENT = {
    palette: () => page.dataset.palette ?? "ink",
    contrast: () => page.style.getPropertyValue("--contrast") || "1",
  };

  // The panel closes when something else is pressed.
  document.addEventListener("click", (event) => {
    for (const panel of document.querySelectorAll("details.look[open]")) {
      if (event.target instanceof Node && !panel.contains(event.target)) {
        panel.open = false;
      }
    }
  });

  for (const control of document.querySelectorAll("[data-look]")) {
    const name = control.dataset.look;
    control.value = CURRENT[name]();
    control.closest(".look").hidden = false;
    control.addEventListener("input", () => {
      SETTERS[name](control.value);
      keep(name, control.value);
      document.dispatchEvent(new CustomEvent("birdmodes:look"));
    });
  }
}
