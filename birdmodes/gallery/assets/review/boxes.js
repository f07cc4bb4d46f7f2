// Corrections of the syllables themselves: where their boxes are after the edits. It knows nothing of
// pages; birdmodes/review/box_edits.py does the same, and both run the cases of tests/.../review_cases.json.
//
// birdmodes.boxEdits.addedSyllable(recording, edit id)   name of the syllable that an edit adds
// birdmodes.boxEdits.replay(edits, boxOf)     Map of the syllables that edits changed, to their box
//                                 [start_s, end_s, low_hz, high_hz], or to null where they are gone
// boxOf(id)                       box of a syllable in the gallery; undefined if it is none of them
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));

  const FIRST_ADDED = 1_000_000_000;

  const recordingOf = (id) => id.slice(0, id.lastIndexOf("#"));

  const addedSyllable = (recording, edit) => `${recording}#${FIRST_ADDED + Number.parseInt(edit.slice(-7), 16)}`;

  // Each takes one edit into the boxes; what does not fit changes nothing.
  const STEPS = {
    "add-box"(boxes, edit) {
      boxes.set(addedSyllable(edit.recording, edit.id), [edit.start_s, edit.end_s, edit.low_hz, edit.high_hz]);
    },

    "mend-box"(boxes, edit, now) {
      if (now(edit.syllable)) {
        boxes.set(edit.syllable, [edit.start_s, edit.end_s, edit.low_hz, edit.high_hz]);
      }
    },

    cut(boxes, edit, now) {
      const box = now(edit.syllable);
      if (box && box[0] < edit.at_s && edit.at_s < box[1]) {
        const [start_s, end_s, low_hz, high_hz] = box;
        boxes.set(edit.syllable, [start_s, edit.at_s, low_hz, high_hz]);
        const part = addedSyllable(recordingOf(edit.syllable), edit.id);
        boxes.set(part, [edit.at_s, end_s, low_hz, high_hz]);
      }
    },

    join(boxes, edit, now) {
      const here = edit.syllables.filter(now);
      if (here.length > 1) {
        const all = here.map(now);
        const of = (choose, side) => choose(...all.map((box) => box[side]));
        here.forEach((id) => boxes.set(id, null));
        boxes.set(here[0], [of(Math.min, 0), of(Math.max, 1), of(Math.min, 2), of(Math.max, 3)]);
      }
    },

    discard(boxes, edit, now) {
      edit.syllables.filter(now).forEach((id) => boxes.set(id, null));
    },
  };

  function replay(edits, boxOf) {
    const boxes = new Map();
    const now = (id) => (boxes.has(id) ? boxes.get(id) : boxOf(id));
    for (const edit of edits) {
      STEPS[edit.action]?.(boxes, edit, now);
    }
    return boxes;
  }

  birdmodes.boxEdits = { addedSyllable, recordingOf, replay };
})();
