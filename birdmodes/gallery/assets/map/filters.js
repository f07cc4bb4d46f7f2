// "Show only": a species, a mode, a least confidence.
//
// filters = new birdmodes.MapFilters(facts, onChange)
// filters.fill()     offers what there is, again after edits; what was chosen stays if it can
// filters.test()     a function that says of a row whether it is shown
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const find = (id) => document.getElementById(id);
  // A species may be called anything: its name stands behind a sign, so that "" stays "all".
  const SIGN = "=";

  class MapFilters {
    constructor(facts, onChange) {
      this.facts = facts;
      this.species = find("map-species");
      this.mode = find("map-mode");
      this.confidence = find("map-confidence");
      this.species.addEventListener("change", () => {
        this.fillModes();
        onChange();
      });
      this.mode.addEventListener("change", onChange);
      this.confidence.addEventListener("input", () => {
        find("map-confidence-shown").textContent = this.confidence.value;
        onChange();
      });
      this.fill();
    }

    fill() {
      const { facts } = this;
      const species = new Set(facts.clusters.map((number) => facts.speciesOf(number)));
      const names = [...species].filter(Boolean).sort();
      offer(this.species, [
        ["", "All"],
        ...names.map((name) => [SIGN + name, name]),
        ...(species.has("") ? [[SIGN, "No species"]] : []),
      ]);
      this.fillModes();
    }

    fillModes() {
      const { facts } = this;
      const { value } = this.species;
      const isOffered = (number) => !value || SIGN + facts.speciesOf(number) === value;
      offer(this.mode, [
        ["", "All"],
        ...facts.clusters.filter(isOffered).map((number) => [String(number), facts.nameOf(number)]),
      ]);
    }

    test() {
      const { facts } = this;
      const species = this.species.value;
      const mode = this.mode.value;
      const least = Number(this.confidence.value);
      const isMode = new Set(
        facts.clusters.filter(
          (number) =>
            (!mode || number === Number(mode)) &&
            (!species || SIGN + facts.speciesOf(number) === species),
        ),
      );
      return (row) => facts.confidence[row] >= least && isMode.has(facts.cluster[row]);
    }
  }

  function offer(select, options) {
    const { value } = select;
    select.replaceChildren(...options.map(([key, text]) => new Option(text, key)));
    select.value = options.some(([key]) => key === value) ? value : "";
  }

  birdmodes.MapFilters = MapFilters;
})();
