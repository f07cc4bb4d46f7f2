// The species list of the recording, and what a species sounds like in other recordings: beside the clip
// of a syllable.
//
// listed = new birdmodes.ListedSpecies(gallery, facts)
// listed.show(current, items)      current: facts of a syllable; items: those of its clip
// listed.choose(number)            shows the species with that number, from 1
// listed.tagOf(item)               what its outline is called, such as "2A"; its species' number and its
//                                  mode's letter
// listed.colourOf(item)            class of its colour: c1 to c6, again and again, or c0
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const COLOURS = 6;
  const PICTURES = 2; // of each mode
  const find = (id) => document.getElementById(id);

  class ListedSpecies {
    constructor(gallery, facts) {
      this.gallery = gallery;
      this.facts = facts;
      this.names = []; // of the list
      this.chosen = ""; // whose modes are shown
      this.current = null;
    }

    numberOf(species) {
      return this.names.indexOf(species) + 1;
    }

    colourOf({ species }) {
      const number = this.numberOf(species);
      return number ? `c${((number - 1) % COLOURS) + 1}` : "c0";
    }

    tagOf({ species, letter }) {
      return species ? `${this.numberOf(species) || "?"}${letter}` : "";
    }

    show(current, items) {
      const { recording } = birdmodesData.syllables;
      const isOther = this.current?.row !== current.row;
      const names = birdmodes.spectrogram.listed(recording[current.row]);
      this.names = names ?? [];
      this.current = current;
      if (isOther || !this.chosen) {
        this.chosen = current.species || this.names[0] || "";
      }
      this.showList(names, items);
      this.showOthers();
    }

    choose(number) {
      const species = this.names[number - 1];
      if (species) {
        this.chosen = species;
        this.markChosen();
        this.showOthers();
      }
    }

    showList(names, items) {
      const { make } = birdmodes.reviewDom;
      if (!names?.length) {
        const why = names ? "The list is empty: no species." : "There is no list of species.";
        find("listed").replaceChildren(make("li", { class: "note" }, why));
        return;
      }
      const counts = new Map();
      items.forEach(({ species }) => counts.set(species, (counts.get(species) ?? 0) + 1));
      find("listed").replaceChildren(
        ...names.map((name, index) => {
          const sounds = counts.get(name) ?? 0;
          const found = sounds ? birdmodes.edits.count(sounds, "sound") : "not found";
          return make(
            "li",
            { class: this.colourOf({ species: name }) },
            make(
              "button",
              { type: "button", "aria-pressed": "false", "data-species": name, click: () => this.choose(index + 1) },
              make("span", { class: "num" }, String(index + 1)),
              make("span", {}, name),
              make("small", {}, found),
            ),
          );
        }),
      );
      this.markChosen();
    }

    markChosen() {
      const list = find("listed");
      for (const one of list.querySelectorAll("button")) {
        const isChosen = one.dataset.species === this.chosen;
        one.setAttribute("aria-pressed", String(isChosen));
        if (isChosen) {
          // On narrow screens the list is a strip, of which a part is seen.
          const [whole, part] = [list.getBoundingClientRect(), one.getBoundingClientRect()];
          list.scrollLeft += Math.min(0, part.left - whole.left) + Math.max(0, part.right - whole.right);
        }
      }
    }

    // What the species sounds like elsewhere, most like this syllable first.
    async showOthers() {
      const { make } = birdmodes.reviewDom;
      const species = this.chosen;
      const { row, recording } = this.current;
      await birdmodes.spectrogram.loadExamples().catch(() => ({}));
      if (species !== this.chosen || row !== this.current.row) {
        return; // another one was chosen meanwhile
      }
      const modes = this.gallery.modes.filter((mode) => species && mode.species === species);
      find("others-section").hidden = !species;
      find("others-title").textContent = `${species} elsewhere`;
      find("others-note").textContent = modes.length
        ? "Its modes, those most like this syllable first."
        : "No mode is known of it.";
      find("others").replaceChildren(
        ...birdmodes.spectrogram.modesLike(row, modes).map((mode) => this.modeItem(make, mode, recording)),
      );
    }

    modeItem(make, mode, recording) {
      const { others, tile } = birdmodes.spectrogram;
      const ids = others(mode, recording, PICTURES);
      const isOwn = mode.cluster === this.current.cluster;
      const [file, part] = mode.page.split("#");
      return make(
        "li",
        { class: isOwn ? "own" : null },
        make(
          "p",
          {},
          make("a", { href: `${birdmodes.url(file)}#${part}` }, make("strong", {}, mode.letter), ` ${mode.title || mode.heading}`),
          make("span", { class: "note" }, ` ${mode.words}`),
        ),
        make("div", { class: "pair" }, ...ids.map((id) => tile(id, birdmodesData.examples[id]))),
        make(
          "button",
          {
            type: "button",
            class: "button only-reviewing",
            "aria-label": `This syllable is of ${mode.name}`,
            disabled: isOwn,
            click: () => this.moveTo(mode.cluster),
          },
          isOwn ? "As it is now" : "It is this one",
        ),
      );
    }

    moveTo(cluster) {
      const { edits, review } = birdmodes;
      review.commit(edits.makeEdit("move", { syllables: [this.current.id], cluster }));
    }
  }

  birdmodes.ListedSpecies = ListedSpecies;
})();
