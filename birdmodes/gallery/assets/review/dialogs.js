// The questions of a review. Each shows a dialog and gives the parts of an edit, or null.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));
  const { make, thumbs, ask } = birdmodes.reviewDom;
  const { count } = birdmodes.edits;

  const THUMBS_IN_LIST = 5;
  const THUMBS_IN_PART = 10;
  const PARTS = ["2", "3", "4"];

  const field = (label, input, note = null) =>
    make("label", { class: "field" }, make("span", {}, label), input, note);
  const note = (text) => make("p", { class: "note" }, text);

  function textInput(value) {
    return make("input", { type: "text", value, maxlength: "200", autocomplete: "off" });
  }

  // Species that are listed for the recordings of some syllables, those of most recordings first.
  function listedFor(rows) {
    const { names, of } = birdmodesData.gallery.lists ?? { names: [], of: [] };
    const counts = new Map();
    for (const recording of new Set(rows.map((row) => birdmodesData.syllables.recording[row]))) {
      (of[recording] ?? []).forEach((number) => counts.set(names[number], (counts.get(names[number]) ?? 0) + 1));
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  }

  // A text field that offers all species, those listed for these syllables first; others can be
  // written too.
  function speciesInput(value, rows) {
    const names = new Set(birdmodesData.gallery.species.map((species) => species.name));
    birdmodes.review.clusters().forEach((cluster) => cluster.species && names.add(cluster.species));
    const offered = new Set([...listedFor(rows), ...[...names].sort()]);
    const list = make(
      "datalist",
      { id: "review-species-names" },
      ...[...offered].map((name) => make("option", { value: name })),
    );
    const input = textInput(value);
    input.setAttribute("list", list.id);
    return { input, list };
  }

  // A list of modes to choose from, with pictures and a filter; those of `species` come first, then
  // those of species that are listed where the syllables in `rows` are.
  function modeList({ without, species, rows: about, multiple }) {
    const others = birdmodes.review.clusters().filter((cluster) => cluster.cluster !== without);
    const listed = new Set(listedFor(about));
    const rank = (cluster) =>
      cluster.species && cluster.species === species ? 2 : Number(listed.has(cluster.species));
    others.sort((a, b) => rank(b) - rank(a));
    const rows = others.map((cluster) => {
      const input = make("input", {
        type: multiple ? "checkbox" : "radio",
        name: "review-mode",
        value: cluster.cluster,
      });
      const words = make(
        "span",
        { class: "review-mode-name" },
        cluster.name,
        make("span", { class: "note" }, ` ${count(cluster.rows.length, "syllable")}`),
      );
      return make("label", { class: "review-choice" }, input, words, thumbs(cluster.rows, THUMBS_IN_LIST));
    });
    const filter = make("input", {
      type: "search",
      placeholder: "Filter by name",
      "aria-label": "Filter modes by name",
      input: () => {
        const wanted = filter.value.trim().toLocaleLowerCase();
        rows.forEach((row) => {
          row.hidden = !row.textContent.toLocaleLowerCase().includes(wanted);
        });
      },
    });
    const list = make("div", { class: "review-choices", role: "group", "aria-label": "Modes" }, ...rows);
    const chosen = () =>
      [...list.querySelectorAll("input:checked")].map((input) => Number(input.value));
    return { filter, list, chosen };
  }

  // What is missing, said in the dialog.
  function complaint() {
    const element = make("p", { class: "review-problem", role: "alert" });
    return {
      element,
      say: (text) => {
        element.textContent = text;
        return null;
      },
    };
  }

  function rename(cluster) {
    const input = textInput(/^mode \d+$/.test(cluster.short) ? "" : cluster.short);
    return ask({
      title: `Rename ${cluster.name}`,
      content: [
        field("Short name, such as song, call or drum", input),
        note(`It becomes “${cluster.species} …”. Empty gives its number back.`),
      ],
      confirm: "Rename",
      answer: () => ({ cluster: cluster.cluster, name: input.value.trim() }),
    });
  }

  function speciesOf(cluster) {
    const { input, list } = speciesInput(cluster.species, cluster.rows);
    return ask({
      title: `Species of ${cluster.name}`,
      content: [
        field("All its syllables are of", input),
        list,
        note("Empty: it is of no species, as noise or insects are."),
      ],
      confirm: "Set species",
      answer: () => ({ cluster: cluster.cluster, species: input.value.trim() }),
    });
  }

  function merge(cluster) {
    const problem = complaint();
    const modes = modeList({
      without: cluster.cluster,
      species: cluster.species,
      rows: cluster.rows,
      multiple: true,
    });
    const keep = make("select", {}, make("option", { value: cluster.cluster }, cluster.name));
    modes.list.addEventListener("change", () => {
      const kept = Number(keep.value);
      const offered = [cluster.cluster, ...modes.chosen()];
      keep.replaceChildren(
        ...offered.map((number) =>
          make("option", { value: number, selected: number === kept }, birdmodes.review.nameOf(number)),
        ),
      );
    });
    return ask({
      title: `Merge ${cluster.name} with …`,
      content: [modes.filter, modes.list, field("Keep species and name of", keep), problem.element],
      confirm: "Merge",
      answer: () => {
        const all = [cluster.cluster, ...modes.chosen()];
        if (all.length < 2) {
          return problem.say("Choose at least one other mode.");
        }
        const first = Number(keep.value);
        return { clusters: [first, ...all.filter((number) => number !== first)] };
      },
    });
  }

  // The proposed parts of a cluster, largest first. Syllables that came from other clusters stay
  // in the first: nothing is proposed for them.
  function proposedParts(cluster, into) {
    const { syllables } = birdmodesData;
    const groups = new Map();
    const strangers = [];
    for (const row of cluster.rows) {
      if (syllables.cluster[row] === cluster.cluster) {
        const part = syllables.sub[into][row];
        if (!groups.has(part)) {
          groups.set(part, []);
        }
        groups.get(part).push(row);
      } else {
        strangers.push(row);
      }
    }
    const parts = [...groups.values()].sort((a, b) => b.length - a.length);
    parts[0]?.push(...strangers);
    return parts;
  }

  function partsView(parts) {
    return parts.map((rows, index) =>
      make(
        "figure",
        { class: "review-part" },
        make(
          "figcaption",
          {},
          index === 0 ? "Keeps the name: " : `New mode ${index}: `,
          count(rows.length, "syllable"),
        ),
        thumbs(rows, THUMBS_IN_PART),
      ),
    );
  }

  // Ways to split: by the proposed parts, or the selected syllables from the rest.
  function split(cluster) {
    const ways = PARTS.filter((into) => birdmodesData.syllables.sub?.[into])
      .map((into) => ({ text: `${into} parts`, parts: proposedParts(cluster, into) }))
      .filter((way) => way.parts.length === Number(way.text[0]));
    const chosen = new Set(birdmodes.review.selectedRows());
    const inside = cluster.rows.filter((row) => chosen.has(row));
    const rest = cluster.rows.filter((row) => !chosen.has(row));
    if (inside.length && rest.length) {
      ways.push({ text: `The ${inside.length} selected from the rest`, parts: [rest, inside] });
    }
    if (!ways.length) {
      return ask({
        title: `${cluster.name} cannot be split`,
        content: [note("No parts are proposed for it. Select some of its syllables and try again.")],
        confirm: "OK",
        answer: () => false,
      });
    }
    const problem = complaint();
    const view = make("div", { class: "review-parts", "aria-live": "polite" });
    const show = (index) => view.replaceChildren(...partsView(ways[index].parts));
    const radios = ways.map((way, index) =>
      make(
        "label",
        { class: "review-choice" },
        make("input", {
          type: "radio",
          name: "review-split",
          value: index,
          checked: index === 0,
          change: () => show(index),
        }),
        way.text,
      ),
    );
    show(0);
    return ask({
      title: `Split ${cluster.name}`,
      content: [
        make("fieldset", { class: "review-ways" }, make("legend", {}, "Into"), ...radios),
        view,
        problem.element,
      ],
      confirm: "Split",
      answer: () => {
        const index = radios.findIndex((label) => label.querySelector("input").checked);
        const groups = ways[index].parts.map((rows) => rows.map(birdmodes.syllableId));
        return { cluster: cluster.cluster, groups };
      },
    });
  }

  function moveTo(rows, from) {
    const problem = complaint();
    const without = from.length === 1 ? from[0].cluster : null;
    const modes = modeList({ without, species: from[0]?.species, rows, multiple: false });
    return ask({
      title: `Move ${count(rows.length, "syllable")} to …`,
      content: [thumbs(rows, THUMBS_IN_PART), modes.filter, modes.list, problem.element],
      confirm: "Move",
      answer: () => {
        const [cluster] = modes.chosen();
        return cluster === undefined ? problem.say("Choose a mode.") : { cluster };
      },
    });
  }

  function newMode(rows, likely) {
    const problem = complaint();
    const { input, list } = speciesInput(likely, rows);
    const name = textInput("");
    return ask({
      title: `New mode of ${count(rows.length, "syllable")}`,
      content: [
        thumbs(rows, THUMBS_IN_PART),
        field("Species", input),
        list,
        field("Short name, such as song or call (may be empty)", name),
        problem.element,
      ],
      confirm: "Make mode",
      answer: () =>
        input.value.trim()
          ? { species: input.value.trim(), name: name.value.trim() }
          : problem.say("Name the species."),
    });
  }

  function sure(title, text, confirm) {
    return ask({ title, content: [note(text)], confirm, answer: () => true, danger: true });
  }

  birdmodes.reviewDialogs = { rename, species: speciesOf, merge, split, moveTo, newMode, sure };
})();
