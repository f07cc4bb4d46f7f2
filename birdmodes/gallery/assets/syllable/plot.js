// The spectrogram of a clip with all its syllables, axes and a line that follows the sound.
//
// plot = new birdmodes.SyllablePlot({ svg, hz, scroll }, on)   on.play(time_s): clicked beside all
//                                   outlines; on.again(): clicked on the current one
// plot.show({ about, clip, items, current, nyquist_hz })       about: of gallery.clips; clip: of
//                                   clips/<clip>.js or null; items: facts of its syllables; picture: in
//                                   place of the clip's own
// plot.zoom(factor), .canZoom(factor), .setTime(time_s or null)
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const SVG = "http://www.w3.org/2000/svg";
  const AXIS = 26; // pixels below the spectrogram
  const TOP = 18; // above it, for names at its upper edge
  const NARROWEST = 64; // pixels per second
  const WIDEST = 1200;
  const LETTER = 6.5; // width of a letter of a name
  const BOLD_LETTER = 7.3;
  const LINE = 14;
  const GAP = 6; // between names
  const SMALLEST = 24; // least size of what can be clicked, in pixels

  function make(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  // A round step that gives about `wanted` marks over `length`.
  function stepFor(length, wanted) {
    const rough = length / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
  }

  function marks(from, to, step) {
    const first = Math.ceil(from / step - 1e-6);
    const count = Math.floor(to / step + 1e-6) - first + 1;
    return Array.from({ length: Math.max(count, 0) }, (_, n) => (first + n) * step);
  }

  const decimals = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const isApart = (a, b) =>
    a.right + GAP < b.left || b.right + GAP < a.left || a.bottom < b.top || b.bottom < a.top;

  class SyllablePlot {
    constructor({ svg, hz, scroll }, on) {
      this.svg = svg;
      this.hz = hz;
      this.scroll = scroll;
      this.on = on;
      this.zoomed = 1;
      this.content = null;
      this.line = null;
      svg.addEventListener("click", (event) => this.click(event));
      new ResizeObserver(() => this.draw()).observe(scroll);
    }

    show(content) {
      const isOther = this.content?.about !== content.about;
      this.content = content;
      this.draw();
      if (isOther) {
        this.scroll.scrollLeft = 0;
      }
      this.bringIntoView(content.current);
    }

    // --- scales ---

    get length_s() {
      return this.content.about.end_s - this.content.about.start_s;
    }

    // Pixels per second that show the whole clip, if that is not too narrow.
    get base() {
      return Math.max(this.scroll.clientWidth / this.length_s, NARROWEST);
    }

    get perSecond() {
      return Math.min(this.base * this.zoomed, Math.max(WIDEST, this.base));
    }

    x(time_s) {
      return (time_s - this.content.about.start_s) * this.perSecond;
    }

    y(frequency_hz) {
      return TOP + this.height * (1 - frequency_hz / this.highest_hz);
    }

    canZoom(factor) {
      if (!this.content) {
        return false;
      }
      const wanted = this.zoomed * factor;
      return wanted > 0.99 && this.base * wanted < WIDEST * 1.01;
    }

    zoom(factor) {
      if (this.canZoom(factor)) {
        const middle = (this.scroll.scrollLeft + this.scroll.clientWidth / 2) / this.perSecond;
        this.zoomed *= factor;
        this.draw();
        this.scroll.scrollLeft = middle * this.perSecond - this.scroll.clientWidth / 2;
      }
    }

    bringIntoView({ start_s, end_s }) {
      const { scrollLeft, clientWidth } = this.scroll;
      if (this.x(start_s) < scrollLeft || this.x(end_s) > scrollLeft + clientWidth) {
        this.scroll.scrollLeft = this.x((start_s + end_s) / 2) - clientWidth / 2;
      }
    }

    // --- drawing ---

    draw() {
      if (!this.content || !this.scroll.clientWidth) {
        return;
      }
      const { clip, items, current, nyquist_hz } = this.content;
      const picture = clip?.picture;
      this.height = this.scroll.clientWidth < 600 ? 272 : Math.min(Math.max(0.52 * innerHeight, 256), 480);
      this.highest_hz = picture
        ? picture.first_hz + (picture.height - 0.5) * picture.bin_hz
        : nyquist_hz;
      this.width = this.length_s * this.perSecond;
      const hadFocus = this.svg.contains(document.activeElement);
      this.svg.setAttribute("width", this.width);
      this.svg.setAttribute("height", TOP + this.height + AXIS);
      this.svg.replaceChildren(
        make("rect", { class: "ground", y: TOP, width: this.width, height: this.height }),
        ...(picture ? [this.image(this.content.picture ?? picture)] : []),
        ...this.timeAxis(),
        ...this.syllables(items, current, clip),
      );
      this.line = make("line", { class: "playhead", y1: TOP, y2: TOP + this.height });
      this.line.style.visibility = "hidden";
      this.svg.append(this.line);
      this.frequencyAxis();
      if (hadFocus) {
        this.svg.querySelector("[aria-current]")?.focus({ preventScroll: true });
      }
    }

    image(picture) {
      const { about } = this.content;
      const left = about.start_s + picture.first_s - picture.frame_s / 2;
      const top = this.y(picture.first_hz + (picture.height - 0.5) * picture.bin_hz);
      return make("image", {
        class: "ink",
        href: picture.url ?? birdmodes.url(picture.file),
        x: this.x(left),
        y: top,
        width: picture.width * picture.frame_s * this.perSecond,
        height: this.y(picture.first_hz - picture.bin_hz / 2) - top,
        preserveAspectRatio: "none",
      });
    }

    timeAxis() {
      const { start_s, end_s } = this.content.about;
      const bottom = TOP + this.height;
      const step = stepFor(this.length_s, this.width / 90);
      return marks(start_s, end_s, step).flatMap((time_s) => {
        const x = this.x(time_s);
        const anchor = x < 10 ? "start" : x > this.width - 24 ? "end" : "middle";
        const text = `${time_s.toFixed(decimals(step))} s`;
        return [
          make("line", { class: "tick", x1: x, x2: x, y1: bottom, y2: bottom + 5 }),
          make("text", { class: "axis", x, y: bottom + 19, "text-anchor": anchor }, text),
        ];
      });
    }

    frequencyAxis() {
      const width = this.hz.clientWidth;
      const step = stepFor(this.highest_hz / 1000, 6);
      this.hz.setAttribute("height", TOP + this.height + AXIS);
      this.hz.replaceChildren(
        // Above the numbers, where nothing else is.
        make("text", { class: "axis", x: width - 8, y: TOP - 5, "text-anchor": "end" }, "kHz"),
        ...marks(0, this.highest_hz / 1000, step).flatMap((kilohertz) => {
          const y = this.y(1000 * kilohertz);
          const text = kilohertz.toFixed(decimals(step));
          return [
            make("line", { class: "tick", x1: width - 5, x2: width, y1: y, y2: y }),
            make("text", { class: "axis", x: width - 8, y: y + 4, "text-anchor": "end" }, text),
          ];
        }),
      );
    }

    // The current one is drawn last, above its neighbours; so is its name.
    syllables(items, current, clip) {
      const names = this.placeNames(items, current);
      const last = items.filter((item) => item.row === current.row);
      const others = items.filter((item) => item.row !== current.row);
      return [...others, ...last].map((item) => {
        const isCurrent = item.row === current.row;
        const link = make("a", {
          href: `#${encodeURIComponent(item.id)}`,
          class: `syllable ${item.colour ?? "c0"}`,
          "data-syllable": item.id,
          "aria-label": `${item.name}, ${item.start_s.toFixed(2)} s`,
        });
        if (isCurrent) {
          link.setAttribute("aria-current", "true");
        }
        link.append(
          make("title", {}, `${item.name}, ${item.start_s.toFixed(2)} s`),
          this.box(item),
          this.outline(item, clip),
        );
        const name = names.get(item.row);
        if (name) {
          link.append(make("text", { class: "name", x: name.left, y: name.bottom - 3 }, name.text));
        }
        return link;
      });
    }

    // What can be clicked: never smaller than a fingertip can hit.
    box({ start_s, end_s, low_hz, high_hz }) {
      const left = this.x(start_s);
      const top = this.y(high_hz);
      const width = Math.max(this.x(end_s) - left, SMALLEST);
      const height = Math.max(this.y(low_hz) - top, SMALLEST);
      const middle = [(left + this.x(end_s)) / 2, (top + this.y(low_hz)) / 2];
      const place = { x: middle[0] - width / 2, y: middle[1] - height / 2, width, height };
      return make("rect", { class: "area", ...place });
    }

    // As it was segmented; where that is not known, its box.
    outline({ id, isDrawn, start_s, end_s, low_hz, high_hz }, clip) {
      const number = Number(id.slice(id.lastIndexOf("#") + 1));
      const at = clip?.picture && !isDrawn ? clip.numbers.indexOf(number) : -1;
      if (at < 0) {
        const top = this.y(high_hz);
        const width = this.x(end_s) - this.x(start_s);
        const box = { x: this.x(start_s), y: top, width, height: this.y(low_hz) - top };
        return make("rect", { class: "outline", ...box });
      }
      const { first_s, frame_s, first_hz, bin_hz } = clip.picture;
      const [column, bin] = clip.places[at];
      const left = this.x(clip.start_s + first_s + (column - 0.5) * frame_s);
      const bottom = this.y(first_hz + (bin - 0.5) * bin_hz);
      const perBin = (this.height * bin_hz) / this.highest_hz;
      return make("path", {
        class: "outline",
        d: clip.outlines[at],
        transform: `translate(${left} ${bottom}) scale(${frame_s * this.perSecond} ${-perBin})`,
      });
    }

    // Tags above or below their syllables where there is room.
    placeNames(items, current) {
      const placed = new Map();
      const taken = [];
      for (const item of [current, ...items.filter(({ row }) => row !== current.row)]) {
        const ways = this.waysToName(item, item === current);
        const isFree = (way) => taken.every((other) => isApart(way, other));
        const way = ways.find(isFree) ?? (item === current ? ways[0] : undefined);
        if (way) {
          placed.set(item.row, way);
          taken.push(way);
        }
      }
      return placed;
    }

    waysToName({ tag, name, start_s, end_s, low_hz, high_hz }, isBold) {
      const middle = (this.x(start_s) + this.x(end_s)) / 2;
      const above = Math.max(this.y(high_hz) - 1, LINE);
      const below = Math.min(this.y(low_hz) + LINE + 2, TOP + this.height - 2);
      const text = tag ?? name;
      return (text ? [above, below] : []).map((bottom) => {
        const width = text.length * (isBold ? BOLD_LETTER : LETTER);
        const left = Math.max(Math.min(middle - width / 2, this.width - width - 2), 2);
        return { text, left, right: left + width, top: bottom - LINE, bottom };
      });
    }

    // --- the line, and clicks ---

    setTime(time_s) {
      if (!this.line) {
        return;
      }
      const isSeen = time_s !== null && !birdmodes.calm;
      this.line.style.visibility = isSeen ? "visible" : "hidden";
      if (isSeen) {
        const x = this.x(time_s);
        this.line.setAttribute("x1", x);
        this.line.setAttribute("x2", x);
        const { scrollLeft, clientWidth } = this.scroll;
        if (x < scrollLeft || x > scrollLeft + clientWidth) {
          this.scroll.scrollLeft = x - 0.1 * clientWidth;
        }
      }
    }

    click(event) {
      const link = event.target.closest("a");
      if (link?.hasAttribute("aria-current")) {
        event.preventDefault();
        this.on.again();
      } else if (!link) {
        const left = event.clientX - this.svg.getBoundingClientRect().left;
        this.on.play(this.content.about.start_s + left / this.perSecond);
      }
    }
  }

  birdmodes.SyllablePlot = SyllablePlot;
})();
