// Pieces of page that the review is made of. All text goes in as text, never as markup.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));

  // An element with attributes and children; attributes that are null or false are left out.
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") {
        element.addEventListener(name, value);
      } else if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(name, value === true ? "" : value);
      }
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function button(text, click, attributes = {}) {
    return make("button", { type: "button", class: "button", click, ...attributes }, text);
  }

  // The small picture of one syllable: a cell of a sheet of thumbs.
  function thumb(row, title = null) {
    const { width, height, columns, per_sheet: perSheet, sheets } = birdmodesData.gallery.thumbs;
    const cell = row % perSheet;
    const sheet = sheets[Math.floor(row / perSheet)];
    const element = make("span", { class: "review-thumb", title });
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
    if (sheet) {
      const x = -(cell % columns) * width;
      const y = -Math.floor(cell / columns) * height;
      element.style.backgroundImage = `url("${birdmodes.root}${encodeURI(sheet)}")`;
      element.style.backgroundPosition = `${x}px ${y}px`;
    }
    return element;
  }

  // Thumbs of at most `most` of the rows, taken evenly from all of them.
  function thumbs(rows, most) {
    const shown = Math.min(rows.length, most);
    const chosen = Array.from({ length: shown }, (_, i) => rows[Math.floor((i * rows.length) / shown)]);
    return make("span", { class: "review-thumbs", "aria-hidden": "true" }, ...chosen.map((row) => thumb(row)));
  }

  // Shows a dialog and waits. Gives what `answer` returns when it is confirmed, else null.
  // `answer` returns null while something is missing; it may say what in the dialog's own words.
  function ask({ title, content, confirm, answer, danger = false }) {
    return new Promise((done) => {
      const heading = make("h2", { id: "review-dialog-title" }, title);
      const cancel = button("Cancel", () => dialog.close());
      const submit = make("button", { type: "submit", class: danger ? "button danger" : "button primary" }, confirm);
      const form = make("form", {}, heading, ...content, make("p", { class: "buttons" }, submit, cancel));
      const dialog = make(
        "dialog",
        { class: "review-dialog", "aria-labelledby": "review-dialog-title" },
        form,
      );
      // The answer counts with the click that gives it: the dialog's own event comes some time later.
      const end = (result) => {
        dialog.remove();
        done(result);
      };
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const result = answer();
        if (result !== null) {
          dialog.close();
          end(result);
        }
      });
      dialog.addEventListener("close", () => end(null));
      document.body.append(dialog);
      dialog.showModal();
      form.querySelector("input[type=text]")?.select();
    });
  }

  birdmodes.reviewDom = { make, button, thumb, thumbs, ask };
})();
