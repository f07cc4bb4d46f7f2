// What the syllables are, after the edits of the review: for the map and the view of a syllable.
//
// facts = new birdmodes.SyllableFacts(gallery, syllables, { withDrawn })   withDrawn: sounds that a person
//                                    drew have rows, after those of the gallery
// facts.read()                       again, after edits
// facts.isGone(row)                  whether the edits have joined it to another, or thrown it away
// facts.n, .cluster, .confidence, .review     columns by row
// facts.clusters                     numbers of all clusters that have syllables
// facts.nameOf(cluster), .speciesOf(cluster), .kindOf(cluster)
// facts.groupOf(row)                 the recording group of its clip: {group, name, page}, or null
// facts.hasModes                     false if nobody has looked for modes: only recordings are grouped
// facts.of(row)                      {row, id, name, heading, cluster, species, letter, recording, clip,
//                                    isDrawn: a person drew its box, start_s, end_s, low_hz, high_hz, review, page: URL of its mode, or null,
//                                    confidence: null where there is no species}
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const hasEdits = () => (birdmodes.review?.history.present.length ?? 0) > 0;

  function urlOf(page) {
    const [file, part] = page.split("#");
    return `${birdmodes.url(file)}#${part}`;
  }

  class SyllableFacts {
    constructor(gallery, syllables, { withDrawn = false } = {}) {
      this.withDrawn = withDrawn;
      this.gallery = gallery;
      this.syllables = syllables;
      this.modes = new Map(gallery.modes.map((mode) => [mode.cluster, mode]));
      this.groups = new Map((gallery.groups ?? []).map((group) => [group.group, group]));
      this.confidence = syllables.confidence;
      this.read();
    }

    get hasModes() {
      return this.modes.size > 0;
    }

    read() {
      this.boxes = new Map();
      this.gone = new Set();
      this.addRows();
      this.n = this.syllables.cluster.length;
      this.cluster = Int32Array.from(this.syllables.cluster);
      this.review = [...this.syllables.review];
      if (hasEdits()) {
        this.applyEdits();
      }
      this.clusters = [...new Set(this.cluster)].sort((a, b) => a - b);
    }

    isGone(row) {
      return this.gone.has(row);
    }

    // What the edits made of boxes; syllables that they added get rows of their own.
    addRows() {
      const { review } = birdmodes;
      const added = hasEdits() ? review.outcome.state.added : new Set();
      if (hasEdits()) {
        this.boxes = birdmodes.boxEdits.replay(review.history.present, (id) => this.boxInGallery(id));
      }
      for (const [id, box] of this.boxes) {
        if (this.withDrawn && box && added.has(id) && birdmodes.rowOf(id) < 0) {
          this.addRow(id, box);
        }
      }
      for (let row = birdmodes.nKnown(); row < this.syllables.cluster.length; row++) {
        if (!this.boxes.get(birdmodes.syllableId(row))) {
          this.gone.add(row);
        }
      }
      for (const [id, box] of this.boxes) {
        if (!box) {
          this.gone.add(birdmodes.rowOf(id));
        }
      }
    }

    addRow(id, [start_s, end_s, low_hz, high_hz]) {
      const recording = this.gallery.recordings.indexOf(birdmodes.boxEdits.recordingOf(id));
      const middle = (start_s + end_s) / 2;
      const clip = this.gallery.clips.findIndex(
        (one) => one.recording === recording && one.start_s <= middle && middle < one.end_s,
      );
      if (clip >= 0) {
        const number = Number(id.slice(id.lastIndexOf("#") + 1));
        const place = { recording, number, clip, start_s, end_s, low_hz, high_hz };
        birdmodes.addRow({ ...place, cluster: -1, confidence: 0, review: "", x: 0, y: 0 });
      }
    }

    boxInGallery(id) {
      const { start_s, end_s, low_hz, high_hz } = this.syllables;
      const row = birdmodes.rowOf(id);
      if (row < 0 || row >= birdmodes.nKnown()) {
        return undefined;
      }
      return [start_s[row], end_s[row], low_hz[row], high_hz[row]];
    }

    // Whole clusters first, then the few syllables that edits name: asking for each would be slow.
    applyEdits() {
      const { edits, review } = birdmodes;
      const { state } = review.outcome;
      const now = new Map([...new Set(this.cluster)].map((number) => [number, edits.resolve(state, number)]));
      this.cluster = this.cluster.map((number) => now.get(number));
      for (const id of state.syllables.keys()) {
        const row = birdmodes.rowOf(id);
        if (row >= 0) {
          const { cluster, review: mark } = review.stateOf(id);
          this.cluster[row] = cluster ?? this.cluster[row];
          this.review[row] = mark;
        }
      }
    }

    nameOf(cluster) {
      if (cluster < 0) {
        return "New sound";
      }
      const before = this.modes.get(cluster)?.name ?? (this.hasModes ? `Cluster ${cluster}` : "No mode yet");
      return hasEdits() ? birdmodes.review.nameOf(cluster) : before;
    }

    speciesOf(cluster) {
      const before = this.modes.get(cluster)?.species ?? "";
      return hasEdits() ? birdmodes.review.clusterSpecies(cluster) : before;
    }

    kindOf(cluster) {
      return this.modes.get(cluster)?.kind ?? "unassigned";
    }

    groupOf(row) {
      return this.groups.get(this.gallery.clips[this.syllables.clip[row]].group) ?? null;
    }

    of(row) {
      const { syllables } = this;
      const cluster = this.cluster[row];
      const mode = this.modes.get(cluster);
      const number = syllables.number[row];
      const id = birdmodes.syllableId(row);
      const known = [syllables.start_s[row], syllables.end_s[row], syllables.low_hz[row], syllables.high_hz[row]];
      const [start_s, end_s, low_hz, high_hz] = this.boxes.get(id) ?? known;
      const name = this.hasModes ? this.nameOf(cluster) : `Syllable ${number}`;
      const short = this.hasModes ? name : String(number);
      return {
        row,
        id,
        isDrawn: Boolean(this.boxes.get(id)),
        name,
        heading: name === mode?.name ? mode.heading : short,
        cluster,
        species: this.hasModes ? this.speciesOf(cluster) : "",
        letter: name === mode?.name ? (mode.letter ?? "") : "",
        page: mode ? urlOf(mode.page) : null,
        recording: this.gallery.recordings[syllables.recording[row]],
        clip: syllables.clip[row],
        start_s,
        end_s,
        low_hz,
        high_hz,
        confidence: this.speciesOf(cluster) ? syllables.confidence[row] : null,
        review: this.review[row],
      };
    }
  }

  birdmodes.SyllableFacts = SyllableFacts;
})();
