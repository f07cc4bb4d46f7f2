// The model of a review: a list of edits, and what they make of modes and syllables. It knows
// nothing of pages, and changes nothing that it is given.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= {});

  const FORMAT = 1;
  const MARKS = ["good", "noise", "not-species", "none"];
  const LONGEST_NAME = 200;

  const isNumber = (value) => Number.isInteger(value) && value >= 0;
  const isName = (value) => typeof value === "string" && value.length <= LONGEST_NAME;
  const isIds = (value) =>
    Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === "string" && id);
  const isGroups = (value) => Array.isArray(value) && value.length > 1 && value.every(isIds);
  const isNumbers = (value) => Array.isArray(value) && value.length > 0 && value.every(isNumber);

  // What every action consists of, and how each part is checked.
  const PARTS = {
    rename: { cluster: isNumber, name: isName },
    species: { cluster: isNumber, species: isName },
    merge: { clusters: (value) => isNumbers(value) && new Set(value).size > 1 },
    split: { cluster: isNumber, groups: isGroups, new_clusters: isNumbers },
    "new-mode": { cluster: isNumber, species: isName, name: isName, syllables: isIds },
    move: { syllables: isIds, cluster: isNumber },
    mark: { syllables: isIds, as: (value) => MARKS.includes(value), species: isName },
  };

  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  function makeEdit(action, parts) {
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    return { id, at, action, ...parts };
  }

  function makeReview(gallery, who, edits) {
    return { format: FORMAT, clustering: gallery.clustering, base: gallery.base, who, edits };
  }

  function checkEdit(edit, number) {
    const parts = Object.hasOwn(PARTS, edit?.action) ? PARTS[edit.action] : null;
    if (!parts || typeof edit.id !== "string" || typeof edit.at !== "string") {
      throw new Error(`edit ${number} is none that this version knows`);
    }
    for (const [part, isRight] of Object.entries(parts)) {
      // Only 'not this species' needs a species; the other marks may leave it out.
      const missing = part === "species" && edit.action === "mark" && edit.as !== "not-species";
      if (!(missing && edit[part] === undefined) && !isRight(edit[part])) {
        throw new Error(`edit ${number} (${edit.action}): ${part} is missing or wrong`);
      }
    }
    if (edit.action === "split" && edit.new_clusters.length !== edit.groups.length - 1) {
      throw new Error(`edit ${number} (split): it needs a new number for every part but the first`);
    }
  }

  // Checks what a file or the server gave; throws an Error that says in words what is wrong.
  function checkReview(review, gallery) {
    if (review === null || typeof review !== "object" || !Array.isArray(review.edits)) {
      throw new Error("this is no review: it has no list of edits");
    }
    if (review.format !== FORMAT) {
      throw new Error(`its format is ${review.format}, this gallery reads format ${FORMAT}`);
    }
    if (review.base !== gallery.base) {
      const other =
        review.clustering === gallery.clustering
          ? "another state of this clustering"
          : `the clustering “${review.clustering}”`;
      throw new Error(
        `it was made from ${other}; 'birdmodes review apply' matches what still fits`,
      );
    }
    review.edits.forEach((edit, index) => checkEdit(edit, index + 1));
    const ids = new Set(review.edits.map((edit) => edit.id));
    if (ids.size !== review.edits.length) {
      throw new Error("two of its edits have the same id");
    }
    return review;
  }

  // --- what edits make of a clustering -------------------------------------------------------

  function start(gallery) {
    const clusters = new Map();
    for (const mode of gallery.modes) {
      const prefix = `${mode.species} `;
      const named = mode.species && mode.mode.startsWith(prefix);
      clusters.set(mode.cluster, {
        cluster: mode.cluster,
        species: mode.species,
        short: named ? mode.mode.slice(prefix.length) : "",
        kind: mode.kind,
        base: mode,
      });
    }
    return { clusters, gone: new Map(), syllables: new Map() };
  }

  // The number under which a cluster goes on after merges.
  function resolve(state, cluster) {
    let current = cluster;
    while (state.gone.has(current)) {
      current = state.gone.get(current);
    }
    return current;
  }

  // The whole name of a cluster as the page shows it.
  function nameOf(state, cluster) {
    const found = state.clusters.get(resolve(state, cluster));
    if (!found) {
      return `Cluster ${cluster}`;
    }
    if (!found.species) {
      return found.base && !found.base.species ? found.base.name : `Cluster ${found.cluster}`;
    }
    return `${found.species} ${found.short || `mode (new, ${found.cluster})`}`;
  }

  function need(state, cluster) {
    const found = state.clusters.get(cluster);
    if (!found) {
      throw new Error(`there is no cluster ${cluster} any more`);
    }
    return found;
  }

  function refuseTaken(state, cluster) {
    if (state.clusters.has(cluster) || state.gone.has(cluster)) {
      throw new Error(`the number ${cluster} is taken`);
    }
  }

  function put(state, ids, change) {
    for (const id of ids) {
      state.syllables.set(id, { ...state.syllables.get(id), ...change });
    }
  }

  function addCluster(state, cluster, species, short) {
    const kind = species ? "mode" : "unassigned";
    state.clusters.set(cluster, { cluster, species, short, kind, base: null });
  }

  // Each takes one edit into the state, which is changed, and gives the edit in words.
  const STEPS = {
    rename(state, edit) {
      const found = need(state, edit.cluster);
      const before = nameOf(state, edit.cluster);
      const heading = found.base?.heading ?? "";
      const isNumbered = /^Mode \d+$/.test(heading) && found.base.species === found.species;
      found.short = edit.name || (isNumbered ? heading.toLowerCase() : "");
      return edit.name
        ? `Rename “${before}” to “${nameOf(state, edit.cluster)}”`
        : `Take the name of “${before}” back`;
    },

    species(state, edit) {
      const found = need(state, edit.cluster);
      const before = nameOf(state, edit.cluster);
      const numbered = /^mode \d+$/.test(found.short);
      found.species = edit.species;
      found.kind = edit.species ? "mode" : "unassigned";
      found.short = numbered ? "" : found.short;
      if (edit.species && edit.species === found.base?.species) {
        found.short ||= found.base.mode.slice(edit.species.length + 1);
      }
      return edit.species
        ? `“${before}” is of ${edit.species}`
        : `“${before}” is of no species`;
    },

    merge(state, edit) {
      edit.clusters.forEach((cluster) => need(state, cluster));
      const [kept, ...others] = edit.clusters;
      const names = others.map((cluster) => `“${nameOf(state, cluster)}”`).join(", ");
      for (const cluster of others) {
        state.clusters.delete(cluster);
        state.gone.set(cluster, kept);
      }
      return `Merge ${names} into “${nameOf(state, kept)}”`;
    },

    split(state, edit) {
      const found = need(state, edit.cluster);
      edit.new_clusters.forEach((cluster) => refuseTaken(state, cluster));
      put(state, edit.groups[0], { cluster: edit.cluster });
      edit.new_clusters.forEach((cluster, index) => {
        addCluster(state, cluster, found.species, "");
        put(state, edit.groups[index + 1], { cluster });
      });
      const sizes = edit.groups.map((group) => group.length).join(" + ");
      return `Split “${nameOf(state, edit.cluster)}” into ${edit.groups.length} (${sizes})`;
    },

    "new-mode"(state, edit) {
      refuseTaken(state, edit.cluster);
      addCluster(state, edit.cluster, edit.species, edit.name);
      put(state, edit.syllables, { cluster: edit.cluster, mark: "", moved: true });
      const size = count(edit.syllables.length, "syllable");
      return `New mode “${nameOf(state, edit.cluster)}” of ${size}`;
    },

    move(state, edit) {
      need(state, edit.cluster);
      put(state, edit.syllables, { cluster: edit.cluster, mark: "", moved: true });
      const size = count(edit.syllables.length, "syllable");
      return `Move ${size} to “${nameOf(state, edit.cluster)}”`;
    },

    mark(state, edit) {
      put(state, edit.syllables, {
        mark: edit.as === "none" ? "" : edit.as,
        notSpecies: edit.as === "not-species" ? edit.species : "",
      });
      const size = count(edit.syllables.length, "syllable");
      const words = {
        good: "a good example",
        noise: "noise",
        "not-species": `not ${edit.species || "this species"}`,
      };
      return edit.as === "none" ? `Unmark ${size}` : `Mark ${size} as ${words[edit.as]}`;
    },
  };

  // Replays edits. Gives the state, every edit in words, and those that no longer fit.
  function replay(gallery, edits) {
    const state = start(gallery);
    const words = new Map();
    const misfits = new Map();
    for (const edit of edits) {
      try {
        words.set(edit.id, STEPS[edit.action](state, edit));
      } catch (error) {
        misfits.set(edit.id, error.message);
        words.set(edit.id, `${edit.action}: ${error.message}`);
      }
    }
    return { state, words, misfits };
  }

  // Where a syllable is after the edits, and how it is marked. `base` is its cluster and mark in
  // the gallery; its cluster may be unknown (null).
  function stateOfSyllable(state, id, base) {
    const own = state.syllables.get(id);
    const cluster = own?.cluster ?? base.cluster;
    const moved = own?.moved || base.review === "moved" ? "moved" : "";
    return {
      cluster: cluster === null ? null : resolve(state, cluster),
      review: (own?.mark ?? base.review) || moved,
      notSpecies: own?.notSpecies ?? "",
      changed: own !== undefined,
    };
  }

  // The first number for new clusters: larger than all that the gallery or an edit names.
  function nextCluster(gallery, edits) {
    const numbers = gallery.modes.map((mode) => mode.cluster);
    for (const edit of edits) {
      numbers.push(edit.cluster ?? 0, ...(edit.clusters ?? []), ...(edit.new_clusters ?? []));
    }
    return numbers.reduce((most, number) => Math.max(most, number), -1) + 1;
  }

  // Edits without one of them, and without the later ones that need it.
  function withoutEdit(gallery, edits, id) {
    const before = replay(gallery, edits).misfits;
    const rest = edits.filter((edit) => edit.id !== id);
    const after = replay(gallery, rest).misfits;
    const kept = rest.filter((edit) => before.has(edit.id) || !after.has(edit.id));
    return { edits: kept, alsoRemoved: rest.length - kept.length };
  }

  // --- undo and redo: a history is never changed, each function gives a new one --------------

  const history = (edits) => ({ past: [], present: edits, future: [] });

  const change = (old, edits) => ({ past: [...old.past, old.present], present: edits, future: [] });

  const add = (old, edit) => change(old, [...old.present, edit]);

  const canUndo = (old) => old.past.length > 0 || old.present.length > 0;

  function undo(old) {
    if (!canUndo(old)) {
      return old;
    }
    // On a page that has just been opened, the last edit was made on another page.
    const before = old.past.at(-1) ?? old.present.slice(0, -1);
    return { past: old.past.slice(0, -1), present: before, future: [old.present, ...old.future] };
  }

  function redo(old) {
    if (!old.future.length) {
      return old;
    }
    const [after, ...future] = old.future;
    return { past: [...old.past, old.present], present: after, future };
  }

  birdmodes.edits = {
    makeEdit,
    makeReview,
    checkReview,
    replay,
    nameOf,
    resolve,
    stateOfSyllable,
    nextCluster,
    withoutEdit,
    history,
    change,
    add,
    canUndo,
    undo,
    redo,
    count,
  };
})();
