// What stands beside the map: the legend, the card of a syllable, the list of what is selected.
// All names go in as text, never as markup.
//
// birdmodes.mapPanels.legend(list, groups, on)   groups: [{label, count, colour, isShown, isChosen}]
// birdmodes.mapPanels.card(facts)                what a syllable is, with its patch
// birdmodes.mapPanels.focus(facts, on)           the same with buttons
// birdmodes.mapPanels.list(element, facts, on)   small patches, to be played
// where facts are those of syllable-facts.js
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const { make } = birdmodes.reviewDom;

  // The patch of a syllable: a cell of a sheet, `times` as large.
  function thumb(row, times) {
    const { width, height, columns, per_sheet, sheets } = birdmodesData.gallery.thumbs;
    const cell = row % per_sheet;
    const sheet = sheets[Math.floor(row / per_sheet)];
    const element = make("span", { class: "map-thumb", "aria-hidden": "true" });
    element.style.width = `${width * times}px`;
    element.style.height = `${height * times}px`;
    if (sheet) {
      element.style.backgroundImage = `url("${birdmodes.url(sheet)}")`;
      element.style.backgroundPosition =
        `${-(cell % columns) * width * times}px ${-Math.floor(cell / columns) * height * times}px`;
      // Sheets that are not full have fewer rows, but all have the full width.
      element.style.backgroundSize = `${columns * width * times}px auto`;
    }
    return element;
  }

  const sureness = ({ confidence }) =>
    confidence === null ? null : make("p", { class: "note" }, `confidence ${confidence.toFixed(2)}`);
  const place = ({ start_s }) => `at ${start_s.toFixed(2)} s`;
  const address = (id) => `${birdmodes.root}syllable.html#${encodeURIComponent(id)}`;

  function card(facts) {
    const { row, name, recording } = facts;
    return [
      thumb(row, 4),
      make("p", { class: "map-name" }, name),
      make("p", {}, `${recording} ${place(facts)}`),
      sureness(facts),
    ].filter(Boolean);
  }

  function focus(facts, { isPlaying, play, toggle, isSelected }) {
    const page = facts.page ? make("a", { href: facts.page }, facts.name) : facts.name;
    return [
      thumb(facts.row, 4),
      make("p", { class: "map-name" }, page),
      make("p", {}, `${facts.recording} ${place(facts)}`),
      sureness(facts),
      make(
        "div",
        { class: "buttons" },
        make("button", { type: "button", class: "button primary", id: "map-play", click: play }, isPlaying ? "Stop" : "Play"),
        make("button", { type: "button", class: "button", id: "map-toggle", "aria-pressed": String(isSelected), click: toggle }, "Select"),
        make("a", { class: "button", href: address(facts.id) }, "Open in its clip"),
      ),
    ].filter(Boolean);
  }

  function list(element, all, { play, playing }) {
    element.replaceChildren(
      ...all.map((facts) =>
        make(
          "li",
          { "data-syllable": facts.id },
          make(
            "button",
            {
              type: "button",
              class: "map-small",
              "aria-pressed": String(facts.row === playing),
              "aria-label": `Play ${facts.name}, ${facts.recording} ${place(facts)}`,
              click: () => play(facts.row),
            },
            thumb(facts.row, 1),
          ),
          make(
            "span",
            {},
            make("a", { href: address(facts.id) }, facts.name),
            make("span", { class: "note" }, `${facts.recording} ${place(facts)}`),
          ),
        ),
      ),
    );
  }

  function legend(element, groups, { show, choose }) {
    element.replaceChildren(
      ...groups.map((group, number) => {
        const swatch = make("span", { class: "map-swatch", "aria-hidden": "true" });
        swatch.style.backgroundColor = group.colour;
        const box = make("input", { type: "checkbox", autocomplete: "off" });
        box.checked = group.isShown;
        box.addEventListener("change", () => show(number, box.checked));
        return make(
          "li",
          {
            "data-label": [group.label, ...(group.others ?? [])].join(" ").toLowerCase(),
            title: group.others?.join(" · ") || null,
          },
          make(
            "label",
            {},
            box,
            swatch,
            make("span", { class: "map-label" }, group.label),
            make("span", { class: "note" }, group.count.toLocaleString("en")),
          ),
          make(
            "button",
            {
              type: "button",
              class: "button quiet map-choose",
              "aria-pressed": String(group.isChosen),
              "aria-label": `Highlight ${group.label}`,
              title: "Highlight",
              click: () => choose(number),
            },
            "★",
          ),
        );
      }),
    );
  }

  birdmodes.mapPanels = { legend, card, focus, list };
})();
