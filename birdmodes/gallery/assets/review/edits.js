// The model of a review: a list of edits, checking those of a file, undo and redo; what the edits make
// of modes and syllables is in state.js. It knows nothing of pages, and changes nothing that it is given.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));

  const { replay } = birdmodes.reviewState;

  const FORMAT = 1;
  const MARKS = ["good", "noise", "not-species", "none"];
  const LONGEST_NAME = 200;

  const isNumber = (value) => Number.isInteger(value) && value >= 0;
  const isName = (value) => typeof value === "string" && value.length <= LONGEST_NAME;
  const isText = (value) => typeof value === "string" && value.length > 0;
  const isIds = (value) =>
    Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === "string" && id);
  const isGroups = (value) => Array.isArray(value) && value.length > 1 && value.every(isIds);
  const isSize = (value) => Number.isFinite(value) && value >= 0;
  const BOX = { start_s: isSize, end_s: isSize, low_hz: isSize, high_hz: isSize };
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
    "add-box": { recording: isText, ...BOX, species: isName, cluster: isNumber },
    "mend-box": { syllable: isText, ...BOX },
    cut: { syllable: isText, at_s: isSize },
    join: { syllables: (value) => isIds(value) && value.length > 1 },
    discard: { syllables: isIds },
  };

  // Only 'not this species' needs a species, the other marks may leave it out; of a new box neither
  // mode nor species need be known.
  function mayLack(edit, part) {
    if (edit.action === "add-box") {
      return part === "species" || part === "cluster";
    }
    return part === "species" && edit.action === "mark" && edit.as !== "not-species";
  }

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
      if (!(mayLack(edit, part) && edit[part] === undefined) && !isRight(edit[part])) {
        throw new Error(`edit ${number} (${edit.action}): ${part} is missing or wrong`);
      }
    }
    if (edit.start_s >= edit.end_s || edit.low_hz >= edit.high_hz) {
      throw new Error(`edit ${number} (${edit.action}): its box has no inside`);
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

  // The first number for new clusters: larger than all that the gallery or an edit names.
  function nextCluster(gallery, edits) {
    const numbers = gallery.modes.map((mode) => mode.cluster);
    for (const edit of edits) {
      numbers.push(edit.cluster ?? 0, ...(edit.clusters ?? []), ...(edit.new_clusters ?? []));
    }
    return numbers.reduce((most, number) => Math.max(most, number), -1) + 1;
  }

  // Edits without one of them, and without the later ones that need it.
  function withoutEdit(gallery, edits, id, baseOf) {
    const before = replay(gallery, edits, baseOf).misfits;
    const rest = edits.filter((edit) => edit.id !== id);
    const after = replay(gallery, rest, baseOf).misfits;
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
    ...birdmodes.reviewState,
    makeEdit,
    makeReview,
    checkReview,
    nextCluster,
    withoutEdit,
    history,
    change,
    add,
    canUndo,
    undo,
    redo,
  };
})();
