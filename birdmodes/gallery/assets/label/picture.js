// The picture of the syllable that is asked about, with what is around it and axes, and its sound.
//
// picture = new birdmodes.LabelPicture(gallery, width_s)
// picture.draw(row, clip)      clip: of clips/<clip>.js, or null: then there is only the thumb
// picture.play("syllable" or "context", band)
// picture.onProblem(text)      set by the page
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const PAUSE_S = 0.15; // heard before and after a syllable
  const SVG = "http://www.w3.org/2000/svg";
  const find = (name) => document.getElementById(`label-${name}`);

  function svg(tag, attributes) {
    const made = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, String(value)));
    return made;
  }

  class LabelPicture {
    constructor(gallery, width_s) {
      this.gallery = gallery;
      this.width_s = width_s;
      this.element = find("picture");
      this.shown = null;
      this.onProblem = () => {};
    }

    draw(row, clip) {
      if (clip?.picture) {
        this.drawClip(row, clip);
      } else {
        this.drawThumb(row);
      }
      this.shown.clip = clip;
    }

    clear() {
      this.shown = null;
    }

    // The clip's picture, cut to the syllable and what is around it, in pixels of the picture.
    drawClip(row, clip) {
      const { syllables } = birdmodesData;
      const { picture } = clip;
      const column = (time_s) => (time_s - clip.start_s - picture.first_s) / picture.frame_s + 0.5;
      const middle_s = (syllables.start_s[row] + syllables.end_s[row]) / 2;
      const length_s = Math.min(this.width_s, picture.width * picture.frame_s);
      const earliest_s = clip.start_s + picture.first_s - picture.frame_s / 2;
      const latest_s = earliest_s + picture.width * picture.frame_s - length_s;
      const from_s = Math.min(Math.max(middle_s - length_s / 2, earliest_s), latest_s);
      const index = clip.numbers.indexOf(syllables.number[row]);
      const [first, lowest] = clip.places[index];
      this.element.setAttribute(
        "viewBox",
        `${column(from_s)} 0 ${length_s / picture.frame_s} ${picture.height}`,
      );
      this.element.style.aspectRatio = "";
      this.element.replaceChildren(
        svg("image", {
          class: "ink",
          href: birdmodes.url(picture.file),
          width: picture.width,
          height: picture.height,
          preserveAspectRatio: "none",
        }),
        svg("path", {
          class: "outline",
          d: clip.outlines[index],
          transform: `translate(${first} ${picture.height - lowest}) scale(1 -1)`,
        }),
        svg("line", { class: "cursor", y1: 0, y2: picture.height, visibility: "hidden" }),
      );
      const low_hz = picture.first_hz - picture.bin_hz / 2;
      birdmodes.spectrogram.frequencies(find("hz"), low_hz, low_hz + picture.height * picture.bin_hz);
      birdmodes.spectrogram.times(find("times"), from_s, length_s);
      this.shown = { row, clip, column, from_s, to_s: from_s + length_s };
    }

    // Without the clip's picture there is still the thumb.
    drawThumb(row) {
      const { width, height, columns, per_sheet: perSheet, sheets } = this.gallery.thumbs;
      const cell = row % perSheet;
      const [x, y] = [(cell % columns) * width, Math.floor(cell / columns) * height];
      this.element.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      this.element.style.aspectRatio = `${width} / ${height}`;
      const href = birdmodes.url(sheets[Math.floor(row / perSheet)]);
      this.element.replaceChildren(svg("image", { class: "ink", href }));
      find("hz").replaceChildren();
      find("times").replaceChildren();
      this.shown = { row, clip: null };
    }

    play(part, isBand) {
      const { row, clip, column, from_s, to_s } = this.shown ?? {};
      if (!clip?.sound) {
        return;
      }
      if (birdmodes.player.playing) {
        birdmodes.player.stop();
        return;
      }
      const { syllables } = birdmodesData;
      const cursor = this.element.querySelector(".cursor");
      const isAround = part === "context" && from_s !== undefined;
      birdmodes.player.play({
        clip,
        from_s: isAround ? from_s : syllables.start_s[row] - PAUSE_S,
        to_s: isAround ? to_s : syllables.end_s[row] + PAUSE_S,
        band: isBand ? [syllables.low_hz[row], syllables.high_hz[row]] : null,
        rate: 1,
        gain: clip.gains?.[clip.numbers.indexOf(syllables.number[row])] ?? 1,
        onTime: (time_s) => {
          if (cursor && !birdmodes.calm) {
            cursor.setAttribute("x1", column(time_s));
            cursor.setAttribute("x2", column(time_s));
            cursor.setAttribute("visibility", "visible");
          }
        },
        onEnd: () => cursor?.setAttribute("visibility", "hidden"),
        onProblem: this.onProblem,
      });
    }
  }

  birdmodes.LabelPicture = LabelPicture;
})();
