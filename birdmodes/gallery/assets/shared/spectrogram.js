// Pieces of spectrograms that scripts put on a page, the same as templates/spectrogram.html writes; and
// what is known of recordings and modes beside them.
//
// birdmodes.spectrogram.loadExamples()               promise of data/examples.js, by syllable
// birdmodes.spectrogram.tile(id, example)            small picture of an example, which plays
// birdmodes.spectrogram.times(element, start_s, width_s)       draws the axis into an svg
// birdmodes.spectrogram.frequencies(element, low_hz, high_hz)  likewise
// birdmodes.spectrogram.howSure(word)                the bar and the word
// birdmodes.spectrogram.listed(recording)            names of its species list; null without one
// birdmodes.spectrogram.modesLike(row, modes)        those that sound most like a syllable first
// birdmodes.spectrogram.others(mode, recording, n)   up to n examples of a mode, of other recordings first
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const SVG = "http://www.w3.org/2000/svg";
  const WORDS = ["a guess", "likely", "sure"];

  function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, String(value)));
    made.append(...children);
    return made;
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, String(value)));
    made.append(...children);
    return made;
  }

  async function loadExamples() {
    await birdmodes.loadScript("data/examples.js");
    return birdmodesData.examples;
  }

  const percent = (value) => `${value}%`;

  function over(example) {
    const [left, top, width, height] = example.box.map(percent);
    return svg(
      "svg",
      { class: "over", "aria-hidden": "true" },
      svg("rect", { class: "box", x: left, y: top, width, height, rx: 3 }),
      svg("line", { class: "head", y2: "100%" }),
    );
  }

  function tile(id, example) {
    const picture = element("img", {
      class: `ink crop-${example.crop}`,
      src: birdmodes.url(example.picture),
      alt: "",
      decoding: "async",
    });
    const holder = element("div", { class: "example", "data-example": id });
    if (example.clip === undefined) {
      holder.append(
        element("span", { class: "spec still small", role: "img", "aria-label": example.label }, picture, over(example)),
      );
      return holder;
    }
    const data = { clip: example.clip, gain: example.gain, low: example.low_hz, high: example.high_hz };
    Object.assign(holder.dataset, data);
    holder.append(
      element(
        "button",
        {
          type: "button",
          class: "spec small",
          "aria-pressed": "false",
          "aria-label": example.label,
          "data-start": example.start_s,
          "data-width": example.width_s,
          "data-from": example.from_s,
          "data-to": example.to_s,
        },
        picture,
        over(example),
        element("span", { class: "sign" }),
      ),
    );
    return holder;
  }

  // A round step that gives about `wanted` marks over `length`.
  function stepFor(length, wanted) {
    const rough = length / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
  }

  function marks(from, to, wanted) {
    const step = stepFor(to - from, wanted);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let n = Math.ceil(from / step - 1e-6); n * step <= to + 1e-9; n += 1) {
      found.push({ value: n * step, text: (n * step).toFixed(digits) });
    }
    return found;
  }

  function times(target, start_s, width_s) {
    const inside = marks(start_s, start_s + width_s, 6)
      .map((mark) => ({ ...mark, at: (100 * (mark.value - start_s)) / width_s }))
      .filter(({ at }) => at > 3 && at < 94);
    target.replaceChildren(
      ...inside.flatMap(({ at, text }, index) => [
        svg("line", { x1: percent(at), x2: percent(at), y2: 3 }),
        svg("text", { x: percent(at), y: 14 }, index === inside.length - 1 ? `${text} s` : text),
      ]),
    );
  }

  function frequencies(target, low_hz, high_hz) {
    const all = marks(low_hz / 1000, high_hz / 1000, 6).map((mark) => ({
      ...mark,
      at: (100 * (high_hz - 1000 * mark.value)) / (high_hz - low_hz),
    }));
    const unit = svg("text", { x: "100%", dx: -9, y: 10 }, "kHz");
    target.replaceChildren(
      unit,
      ...all
        .filter(({ at }) => at > 7)
        .flatMap(({ at, text }) => [
          svg("line", { x1: "100%", x2: "100%", y1: percent(at), y2: percent(at), transform: "translate(-5 0)" }),
          svg("text", { x: "100%", dx: -9, dy: at > 97 ? -1 : 4, y: percent(at) }, text),
        ]),
    );
  }

  function howSure(word) {
    const level = WORDS.indexOf(word) + 1;
    const steps = [1, 2, 3].map((step) =>
      svg("rect", {
        x: 11 * (step - 1) + 0.75,
        y: 0.75,
        width: 7.5,
        height: 5.5,
        rx: 1.5,
        class: step <= level ? "on" : "",
      }),
    );
    const bar = svg("svg", { class: "pips", viewBox: "0 0 31 7", "aria-hidden": "true" }, ...steps);
    return element("span", { class: `how level-${level}` }, bar, word);
  }

  function listed(recording) {
    const { names, of } = birdmodesData.gallery.lists ?? { names: [], of: [] };
    return of[recording]?.map((number) => names[number]) ?? null;
  }

  // By ear, an octave counts twice as much as a doubled length.
  function modesLike(row, modes) {
    const { low_hz: low, high_hz: high, start_s: start, end_s: end } = birdmodesData.syllables;
    const pitch = Math.sqrt(Math.max(low[row], 50) * high[row]);
    const length = Math.max(end[row] - start[row], 0.01);
    const distance = (mode) =>
      mode.pitch_hz
        ? 2 * Math.abs(Math.log2(mode.pitch_hz / pitch)) + Math.abs(Math.log2(mode.duration_s / length))
        : Infinity;
    return [...modes].sort((a, b) => distance(a) - distance(b) || a.cluster - b.cluster);
  }

  function others(mode, recording, n) {
    const { examples } = birdmodesData;
    const known = (mode?.examples ?? []).filter((id) => examples?.[id]);
    const isHere = (id) => Number(examples[id].recording === recording);
    return known.sort((a, b) => isHere(a) - isHere(b)).slice(0, n);
  }

  birdmodes.spectrogram = { loadExamples, tile, times, frequencies, howSure, listed, modesLike, others };
})();
