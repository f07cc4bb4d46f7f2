// What edits make of a gallery's modes and syllables. It knows nothing of pages, and changes nothing
// that it is given. birdmodes/review/state.py does the same for `review apply`: both are tested with
// the cases of tests/review_cases.json.
//
// replay(gallery, edits, baseOf)   {state, words, misfits}; words: every edit in words, misfits: what
//                                  could not be done, both by id of the edit
// baseOf(id)                       {cluster, review} of a syllable in the gallery; null while the
//                                  syllables are not loaded, undefined if it is none of them
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));

  const { addedSyllable, recordingOf } = birdmodes.boxEdits;

  const SET_ASIDE = ["noise", "not-species"];
  const NUMBERED = /^mode ([0-9]{1,9})$/;

  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  // What could not be done, in words.
  class Misfit extends Error {}

  // A cluster as the edits so far have left it. Its name is the one that a person gave it, or "mode"
  // and its number among those of its species; new modes get theirs when the edits are applied.
  class Cluster {
    constructor(cluster, species, short, base = null) {
      const number = Number(NUMBERED.exec(short)?.[1] ?? 0);
      this.cluster = cluster;
      this.species = species;
      this.given = number ? "" : short;
      this.numbers = new Map([[species, number]]);
      this.base = base;
    }

    get number() {
      return this.numbers.get(this.species) ?? 0;
    }

    get short() {
      return this.given || (this.number ? `mode ${this.number}` : "");
    }
  }

  function shortOf(mode) {
    const prefix = `${mode.species} `;
    return mode.species && mode.mode.startsWith(prefix) ? mode.mode.slice(prefix.length) : "";
  }

  class State {
    /** @param {Gallery} gallery */
    constructor(gallery, baseOf) {
      this.baseOf = baseOf;
      this.clusters = new Map(
        gallery.modes.map((mode) => [mode.cluster, new Cluster(mode.cluster, mode.species, shortOf(mode), mode)]),
      );
      this.gone = new Map(); // merged clusters, and where they went
      this.syllables = new Map(); // those that an edit named, as they are now
      this.taken = new Map(); // clusters that earlier reviews set aside, by the mark
      for (const [mark, cluster] of Object.entries(gallery.set_aside ?? {})) {
        this.taken.set(mark, cluster);
      }
      this.released = new Set(); // marks of earlier reviews that hold no more
      this.added = new Set(); // syllables that the edits added ...
      this.lost = new Set(); // ... and those that are none any more
    }

    // Whether there is such a syllable.
    has(id) {
      return !this.lost.has(id) && (this.added.has(id) || this.baseOf(id) !== undefined);
    }

    // A syllable that comes to these; where it lies may not be known before the edits are applied.
    addSyllable(id, now) {
      this.added.add(id);
      this.lost.delete(id);
      this.syllables.set(id, now);
    }

    lose(ids) {
      for (const id of ids) {
        this.put(id, {});
        this.lost.add(id);
      }
    }

    // The number under which a cluster goes on after merges.
    resolve(cluster) {
      let current = cluster;
      while (this.gone.has(current)) {
        current = this.gone.get(current);
      }
      return current;
    }

    // A syllable as it is now: {cluster, mark, moved, notSpecies}, marks aside. The cluster is
    // undefined while the syllables are not loaded, and null if only the workspace knows it: where
    // a syllable lay before an earlier review set it aside.
    of(id) {
      const own = this.syllables.get(id);
      const base = own ? null : this.baseOf(id);
      if (own || !base) {
        return own ?? {};
      }
      const isAside = SET_ASIDE.includes(base.review) && !this.released.has(base.review);
      const isMark = !["", "moved"].includes(base.review) && !this.released.has(base.review);
      const now = this.resolve(base.cluster);
      const mark = now === base.cluster ? undefined : this.markOf(now);
      return {
        cluster: isAside && !mark ? null : base.cluster,
        mark: mark ?? (isMark ? base.review : ""),
        moved: base.review === "moved",
      };
    }

    // Cluster in which a syllable counts now: undefined if that is not known, else null for what is
    // set aside in this review.
    where(id) {
      const { cluster, mark } = this.of(id);
      if (SET_ASIDE.includes(mark)) {
        return this.taken.get(mark) ?? null;
      }
      return cluster === undefined || cluster === null ? undefined : this.resolve(cluster);
    }

    // The mark that a cluster of what was set aside stands for.
    markOf(cluster) {
      return [...this.taken].find(([, number]) => number === cluster)?.[0];
    }

    put(id, change) {
      this.syllables.set(id, { ...this.of(id), ...change });
    }

    // Lays a syllable into a cluster.
    lay(id, cluster) {
      const mark = this.markOf(cluster);
      if (mark) {
        this.put(id, { mark });
      } else {
        const isAside = SET_ASIDE.includes(this.of(id).mark);
        this.put(id, isAside ? { cluster, mark: "" } : { cluster });
      }
    }

    // Makes a cluster of what was set aside one like the others.
    adopt(cluster) {
      const mark = this.markOf(cluster);
      if (mark) {
        for (const [id, own] of this.syllables) {
          if (own.mark === mark) {
            this.put(id, { cluster, mark: "" });
          }
        }
        this.taken.delete(mark);
        this.released.add(mark);
      }
    }

    describe(cluster) {
      const found = this.clusters.get(cluster);
      if (!found?.species) {
        return `cluster ${cluster}`;
      }
      const unnamed = found.base?.mode === found.species ? found.species : `new mode of ${found.species}`;
      const name = found.short ? `${found.species} ${found.short}` : unnamed;
      return `${name} (cluster ${cluster})`;
    }

    missing(cluster) {
      return this.gone.has(cluster)
        ? `cluster ${cluster} is merged into ${this.describe(this.gone.get(cluster))} already`
        : `there is no cluster ${cluster}`;
    }

    need(cluster) {
      const found = this.clusters.get(cluster);
      if (!found) {
        throw new Misfit(this.missing(cluster));
      }
      return found;
    }

    refuseTaken(numbers) {
      for (const cluster of numbers) {
        if (this.clusters.has(cluster) || this.gone.has(cluster)) {
          throw new Misfit(`the number ${cluster} for a new cluster is taken`);
        }
      }
    }

    // Those of some syllables that are here, with what is to be said of the others.
    here(ids) {
      const found = ids.filter((id) => this.has(id));
      const problems =
        found.length < ids.length ? [`${ids.length - found.length} of ${ids.length} syllables are not here`] : [];
      return { found, problems };
    }

    some(ids) {
      const { found, problems } = this.here(ids);
      if (!found.length) {
        throw new Misfit(problems.join("; "));
      }
      return { found, problems };
    }

    choose(ids, cluster) {
      for (const id of ids) {
        this.put(id, { mark: "", moved: true, notSpecies: "" });
        this.lay(id, cluster);
      }
    }
  }

  // The whole name of a cluster as the page shows it.
  function nameOf(state, cluster) {
    const found = state.clusters.get(state.resolve(cluster));
    if (!found) {
      return `Cluster ${cluster}`;
    }
    const { base } = found;
    if (base && found.species === base.species && found.short === shortOf(base)) {
      return base.name;
    }
    if (!found.species) {
      return `Cluster ${found.cluster}`;
    }
    return `${found.species} ${found.short || `mode (new, ${found.cluster})`}`;
  }

  // Each takes one edit into the state, which is changed, and gives the edit in words and what of it
  // could not be done.
  const STEPS = {
    rename(state, edit) {
      const found = state.need(edit.cluster);
      const before = nameOf(state, edit.cluster);
      found.given = edit.name;
      return edit.name
        ? [`Rename “${before}” to “${nameOf(state, edit.cluster)}”`]
        : [`Take the name of “${before}” back`];
    },

    species(state, edit) {
      const found = state.need(edit.cluster);
      const before = nameOf(state, edit.cluster);
      state.adopt(edit.cluster);
      found.species = edit.species;
      return [`“${before}” is of ${edit.species || "no species"}`];
    },

    merge(state, edit) {
      const [kept, ...others] = edit.clusters.filter((cluster) => state.clusters.has(cluster));
      const missing = edit.clusters.filter((cluster) => !state.clusters.has(cluster));
      const problems = missing.map((cluster) => state.missing(cluster));
      if (!others.length) {
        throw new Misfit(problems.join("; "));
      }
      const names = others.map((cluster) => `“${nameOf(state, cluster)}”`).join(", ");
      const touched = [...state.syllables.keys()];
      for (const other of others) {
        const inside = touched.filter((id) => state.where(id) === other);
        inside.forEach((id) => state.lay(id, kept));
        const mark = state.markOf(other);
        if (mark) {
          state.taken.delete(mark);
          state.released.add(mark);
        }
        state.clusters.delete(other);
        state.gone.set(other, kept);
      }
      return [`Merge ${names} into “${nameOf(state, kept)}”`, ...problems];
    },

    split(state, edit) {
      const found = state.need(edit.cluster);
      state.refuseTaken(edit.new_clusters);
      state.adopt(edit.cluster);
      const problems = [];
      const parts = edit.groups.map((group) => {
        const here = state.here(group);
        const inside = here.found.filter((id) => [edit.cluster, undefined].includes(state.where(id)));
        const elsewhere = here.found.length - inside.length;
        problems.push(...here.problems);
        if (elsewhere) {
          problems.push(`${elsewhere} of ${group.length} syllables are elsewhere by now`);
        }
        return inside;
      });
      if (!parts.slice(1).some((part) => part.length)) {
        throw new Misfit(`nothing to split off ${state.describe(edit.cluster)}: ${problems.join("; ")}`);
      }
      edit.new_clusters.forEach((cluster, index) => {
        state.clusters.set(cluster, new Cluster(cluster, found.species, ""));
        parts[index + 1].forEach((id) => state.lay(id, cluster));
      });
      const sizes = parts.map((part) => part.length).join(" + ");
      return [`Split “${nameOf(state, edit.cluster)}” into ${parts.length} (${sizes})`, ...problems];
    },

    "new-mode"(state, edit) {
      state.refuseTaken([edit.cluster]);
      const { found, problems } = state.some(edit.syllables);
      state.clusters.set(edit.cluster, new Cluster(edit.cluster, edit.species, ""));
      state.clusters.get(edit.cluster).given = edit.name;
      state.choose(found, edit.cluster);
      const size = count(found.length, "syllable");
      return [`New mode “${nameOf(state, edit.cluster)}” of ${size}`, ...problems];
    },

    move(state, edit) {
      state.need(edit.cluster);
      const { found, problems } = state.some(edit.syllables);
      state.choose(found, edit.cluster);
      const size = count(found.length, "syllable");
      return [`Move ${size} to “${nameOf(state, edit.cluster)}”`, ...problems];
    },

    mark(state, edit) {
      const { found, problems } = state.some(edit.syllables);
      // Those that are given another species anyway stay where they are.
      const isMeant = (id) => {
        const where = state.where(id);
        return where === undefined || (state.clusters.get(where)?.species ?? "") === edit.species;
      };
      const meant = edit.as === "not-species" ? found.filter(isMeant) : found;
      const notSpecies = edit.as === "not-species" ? edit.species : "";
      meant.forEach((id) => state.put(id, { mark: edit.as === "none" ? "" : edit.as, notSpecies }));
      const size = count(meant.length, "syllable");
      const words = {
        good: "a good example",
        noise: "noise",
        "not-species": `not ${edit.species || "this species"}`,
      };
      return [edit.as === "none" ? `Unmark ${size}` : `Mark ${size} as ${words[edit.as]}`, ...problems];
    },

    "add-box"(state, edit) {
      const id = addedSyllable(edit.recording, edit.id);
      state.addSyllable(id, { cluster: null, mark: "", moved: Boolean(edit.species), notSpecies: "" });
      const at = `Draw a sound at ${edit.start_s.toFixed(2)}\u00a0s`;
      if (edit.cluster === undefined) {
        return [edit.species ? `${at}, of ${edit.species}` : at];
      }
      if (!state.clusters.has(edit.cluster)) {
        return [at, state.missing(edit.cluster)];
      }
      state.choose([id], edit.cluster);
      return [`${at}, of “${nameOf(state, edit.cluster)}”`];
    },

    "mend-box"(state, edit) {
      state.some([edit.syllable]);
      return [`Mend a box: ${edit.start_s.toFixed(2)} to ${edit.end_s.toFixed(2)}\u00a0s`];
    },

    cut(state, edit) {
      state.some([edit.syllable]);
      state.put(edit.syllable, {});
      const part = addedSyllable(recordingOf(edit.syllable), edit.id);
      state.addSyllable(part, { ...state.of(edit.syllable) });
      return [`Cut a syllable at ${edit.at_s.toFixed(2)}\u00a0s`];
    },

    join(state, edit) {
      const { found, problems } = state.some(edit.syllables);
      if (found.length < 2) {
        throw new Misfit(problems.join("; "));
      }
      state.lose(found.slice(1));
      return [`Join ${count(found.length, "syllable")}`, ...problems];
    },

    discard(state, edit) {
      const { found, problems } = state.some(edit.syllables);
      state.lose(found);
      return [`Throw ${count(found.length, "syllable")} away`, ...problems];
    },
  };

  /**
   * @param {Gallery} gallery
   * @param {Edit[]} edits
   * @param {(id: string) => ({cluster: number, review: string} | null | undefined)} baseOf
   */
  function replay(gallery, edits, baseOf = () => null) {
    const state = new State(gallery, baseOf);
    const words = new Map();
    const misfits = new Map(); // edits of which nothing could be done
    const problems = new Map(); // what could not be done, of these and of others
    for (const edit of edits) {
      try {
        const [said, ...lost] = STEPS[edit.action](state, edit);
        words.set(edit.id, [said, ...lost].join("; "));
        if (lost.length) {
          problems.set(edit.id, lost.join("; "));
        }
      } catch (error) {
        if (!(error instanceof Misfit)) {
          throw error;
        }
        misfits.set(edit.id, error.message);
        problems.set(edit.id, error.message);
        words.set(edit.id, `${edit.action}: ${error.message}`);
      }
    }
    return { state, words, misfits, problems };
  }

  // Where a syllable is after the edits, and how it is marked. `base` is its cluster and mark in
  // the gallery; its cluster may be unknown (null).
  function stateOfSyllable(state, id, known) {
    const base = known ?? { cluster: null, review: "" };
    const now = state.of(id);
    const cluster = now.cluster === undefined ? base.cluster : now.cluster;
    const isUntouched = !state.syllables.has(id) && (now.mark ?? base.review) === base.review;
    const moved = now.moved || base.review === "moved" ? "moved" : "";
    return {
      // What an earlier review set aside is shown where that put it, until it is taken from there.
      cluster: cluster === null && !isUntouched ? null : state.resolve(cluster ?? base.cluster),
      review: (now.mark ?? (base.review === "moved" ? "" : base.review)) || moved,
      notSpecies: now.notSpecies ?? "",
      changed: state.syllables.has(id),
      gone: state.lost.has(id),
    };
  }

  const resolve = (state, cluster) => state.resolve(cluster);

  birdmodes.reviewState = { replay, nameOf, resolve, stateOfSyllable, count };
})();
