// Plays single syllables from a page that knows them by row.
//
// sound = new birdmodes.MapSound(onChange, onProblem)
// sound.playing           row that plays, or -1; onChange() is called when it changes
// sound.toggle(row)       plays it, or stops it; onProblem(text) says why there is nothing to hear
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const MARGIN_S = 0.1; // that is played around a syllable
  const LEFT_OUT =
    "There is no sound for this syllable: its clip was left out of the gallery, for size or because it cannot be read.";

  class MapSound {
    constructor(onChange, onProblem) {
      this.playing = -1;
      this.onChange = onChange;
      this.onProblem = onProblem;
    }

    set(row) {
      if (this.playing !== row) {
        this.playing = row;
        this.onChange();
      }
    }

    async toggle(row) {
      const isStop = this.playing === row;
      birdmodes.player.stop();
      this.onProblem("");
      this.set(isStop ? -1 : row);
      if (isStop) {
        return;
      }
      try {
        await this.play(row);
      } catch (error) {
        this.onProblem(error.message);
        this.end(row);
      }
    }

    end(row) {
      if (this.playing === row) {
        this.set(-1);
      }
    }

    async play(row) {
      const { gallery, syllables } = birdmodesData;
      const about = gallery.clips[syllables.clip[row]];
      if (!about.media) {
        throw new Error(LEFT_OUT);
      }
      const clip = await birdmodes.loadClip(about.name);
      if (this.playing !== row) {
        return; // another one was chosen meanwhile
      }
      birdmodes.player.play({
        clip,
        from_s: syllables.start_s[row] - MARGIN_S,
        to_s: syllables.end_s[row] + MARGIN_S,
        gain: clip.gains?.[clip.numbers.indexOf(syllables.number[row])] ?? 1,
        onEnd: () => this.end(row),
        onProblem: this.onProblem,
      });
    }
  }

  birdmodes.MapSound = MapSound;
})();
