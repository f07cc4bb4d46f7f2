// The legend of the map: which groups are shown, and which are highlighted.
//
// legend = new birdmodes.MapLegend(state, paint)   of map.js; paint() draws the map again
// legend.show(), .clear() (for other groups), .choose(key) (highlights a group, or no longer)
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const MANY = 12; // groups from which on the legend can be searched
  const find = (id) => document.getElementById(id);
  const collator = new Intl.Collator("en", { numeric: true });

  // What a species is called otherwise; nothing for other groups.
  const otherNames = (label) =>
    birdmodesData.gallery.species.find((species) => species.name === label)?.others ?? [];

  class MapLegend {
    constructor(state, paint) {
      this.state = state;
      this.paint = paint;
      this.list = find("map-groups");
      this.search = find("map-search");
      this.search.addEventListener("input", () => this.searchList());
      find("map-show-all").addEventListener("click", () => this.hide([]));
      find("map-show-none").addEventListener("click", () => this.hide(state.grouping.keys));
      find("map-no-highlight").addEventListener("click", () => {
        state.chosen.clear();
        this.repaint();
      });
      this.out = find("map-out-one");
      this.out.addEventListener("change", () => this.bringOut(Number(this.out.value)));
      find("map-out-before").addEventListener("click", () => this.step(-1));
      find("map-out-after").addEventListener("click", () => this.step(1));
    }

    // One group alone, by its number; -1 for none.
    bringOut(number) {
      const { chosen, hidden, grouping } = this.state;
      chosen.clear();
      if (number >= 0) {
        chosen.add(grouping.keys[number]);
        hidden.delete(grouping.keys[number]);
      }
      this.repaint();
    }

    // Once around in the order of the list, with a place for none.
    step(by) {
      const { options, selectedIndex } = this.out;
      this.bringOut(Number(options[(selectedIndex + by + options.length) % options.length].value));
    }

    showOut() {
      const { grouping, chosen } = this.state;
      const numbers = [...grouping.keys.keys()].sort((a, b) => collator.compare(grouping.labels[a], grouping.labels[b]));
      this.out.replaceChildren(
        new Option(chosen.size > 1 ? "several" : "none", "-1"),
        ...numbers.map((number) => {
          const label = grouping.labels[number];
          return new Option([label, ...otherNames(label)].join(" · "), String(number));
        }),
      );
      const only = chosen.size === 1 ? grouping.keys.findIndex((key) => chosen.has(key)) : -1;
      this.out.value = String(only);
    }

    repaint() {
      this.paint();
      this.show();
    }

    clear() {
      this.search.value = "";
      this.show();
    }

    hide(keys) {
      this.state.hidden = new Set(keys);
      this.repaint();
    }

    choose(key) {
      const { chosen, hidden } = this.state;
      chosen[chosen.has(key) ? "delete" : "add"](key);
      hidden.delete(key);
      this.repaint();
    }

    show() {
      const { grouping, colours, hidden, chosen, isOther } = this.state;
      const { keys } = grouping;
      const groups = keys.map((key, number) => ({
        label: grouping.labels[number],
        others: otherNames(grouping.labels[number]),
        count: grouping.counts[number],
        colour: colours[number],
        isShown: !hidden.has(key),
        isChosen: chosen.has(key),
      }));
      const focused = [...this.list.querySelectorAll("button")].indexOf(document.activeElement);
      birdmodes.mapPanels.legend(this.list, groups, {
        show: (number, isShown) => {
          hidden[isShown ? "delete" : "add"](keys[number]);
          this.paint();
        },
        choose: (number) => this.choose(keys[number]),
      });
      this.list.querySelectorAll("button")[focused]?.focus();
      const coloured = isOther.filter((isGrey) => !isGrey).length;
      find("map-legend-note").hidden = coloured <= birdmodes.mapColours.PALETTE.light.length;
      this.showOut();
      find("map-no-highlight").hidden = chosen.size === 0;
      this.search.hidden = groups.length < MANY;
      this.searchList();
    }

    searchList() {
      const wanted = this.search.value.toLowerCase();
      for (const item of this.list.children) {
        item.hidden = !item.dataset.label.includes(wanted);
      }
    }
  }

  birdmodes.MapLegend = MapLegend;
})();
