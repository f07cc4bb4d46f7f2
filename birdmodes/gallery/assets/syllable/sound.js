// Playing a clip or one of its syllables, slowed down or only in a band, as the page's controls say.
//
// sound = new birdmodes.SyllableSound(on)   on.change(), on.time(time_s or null), on.problem(text)
// sound.set({ clip, current, why })         what there is to play; clip null: `why` there is nothing
// sound.toggle("syllable" or "clip"), .playFrom(time_s), .playing ("syllable", "clip" or "")
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const MARGIN_S = 0.05; // that is played around a syllable
  const find = (id) => document.getElementById(id);

  class SyllableSound {
    constructor(on) {
      this.on = on;
      this.playing = "";
      this.has = { clip: null, current: null, why: "" };
      const again = () => this.playing && this.play(this.playing, birdmodes.player.currentTime);
      find("band").addEventListener("change", again);
      for (const choice of document.querySelectorAll("[name=rate]")) {
        choice.addEventListener("change", again);
      }
    }

    set(has) {
      birdmodes.player.stop();
      this.has = has;
    }

    toggle(what) {
      if (this.playing === what) {
        birdmodes.player.stop();
      } else {
        this.play(what);
      }
    }

    playFrom(time_s) {
      this.play("clip", time_s);
    }

    play(what, time_s = null) {
      const { clip, current, why } = this.has;
      birdmodes.player.stop();
      if (!clip) {
        this.on.problem(why);
        return;
      }
      const isWhole = what === "clip";
      const at = clip.numbers.indexOf(Number(current.id.slice(current.id.lastIndexOf("#") + 1)));
      this.on.problem("");
      this.playing = what;
      this.on.change();
      birdmodes.player.play({
        clip,
        from_s: time_s ?? (isWhole ? clip.start_s : current.start_s - MARGIN_S),
        to_s: isWhole ? clip.end_s : current.end_s + MARGIN_S,
        band: find("band").checked ? [current.low_hz, current.high_hz] : null,
        rate: Number(document.querySelector("[name=rate]:checked").value),
        gain: isWhole ? 1 : (clip.gains?.[at] ?? 1),
        onTime: this.on.time,
        onProblem: this.on.problem,
        onEnd: () => {
          this.playing = "";
          this.on.time(null);
          this.on.change();
        },
      });
    }
  }

  birdmodes.SyllableSound = SyllableSound;
})();
