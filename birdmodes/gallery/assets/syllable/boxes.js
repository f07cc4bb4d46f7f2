// Mending the syllables of a clip: draw a missed sound, mend a box, cut one in two, join two, throw one
// away. What is made is an edit of the review like any other; what is new is played at once.
//
// birdmodes.syllableBoxes.start(page)   page: {plot, go(id), playNext(id)}, see syllable.js
// birdmodes.syllableBoxes.shown({items, current, about})   after each drawing of the plot
"use strict";

(() => {
  const { make: makeElement } = birdmodes.reviewDom;
  const SVG = "http://www.w3.org/2000/svg";
  const STEP = { s: 0.01, hz: 100 }; // of an arrow key
  const FINE = 0.1; // of that, with Alt
  const SMALLEST = { s: 0.01, hz: 100 };
  const NEAR = 9; // pixels from an edge that still take hold of it
  const HANDLE = 7; // pixels
  const TOOLS = [
    ["draw", "Draw a sound", "D"],
    ["mend", "Mend", "E"],
    ["cut", "Cut in two", "K"],
    ["join", "Join with next", "J"],
    ["discard", "Throw away", "Delete", "Del"],
    ["undo", "Undo", ""],
  ];
  const HINTS = {
    draw: "Draw a box around the sound; Enter puts one in the middle. Esc stops.",
    mend: "Drag its edges. Arrows move it; Shift: its end and top; Alt: finely. Enter keeps it, Esc does not.",
    cut: "Click where to cut. Arrows move the line, Enter cuts, Esc stops.",
  };

  const find = (id) => document.getElementById(id);
  const shape = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      made.setAttribute(key, String(value));
    }
    return made;
  };
  const limit = (value, low, high) => Math.min(Math.max(value, low), high);

  class BoxTools {
    constructor() {
      this.page = null;
      this.review = null;
      this.items = []; // the syllables of the clip
      this.current = null;
      this.about = null; // the clip
      this.mode = "";
      this.box = null; // the one that is drawn or mended, [start_s, end_s, low_hz, high_hz]
      this.at_s = 0; // where to cut
      this.drag = null;
      this.buttons = new Map();
      this.hint = null;
    }

    start(page) {
      this.page = page;
      this.review = birdmodes.review;
      this.buttons = new Map(TOOLS.map(([name, ...told]) => [name, this.button(name, ...told)]));
      this.hint = makeElement("p", { class: "note", role: "status", id: "box-hint" });
      const row = makeElement("div", { class: "box-row" }, ...this.buttons.values());
      find("box-tools").append(row, this.hint);
      const { svg } = page.plot;
      svg.addEventListener("pointerdown", (event) => this.down(event));
      svg.addEventListener("pointermove", (event) => this.move(event));
      svg.addEventListener("pointerup", () => this.up());
      svg.addEventListener("pointercancel", () => this.setMode(""));
      // Before the page's own, which would choose or play something.
      svg.addEventListener("click", (event) => this.click(event), true);
      document.addEventListener("keydown", (event) => this.onKey(event), true);
      for (const name of ["birdmodes:reviewed", "birdmodes:review-open"]) {
        document.addEventListener(name, () => this.showTools());
      }
      this.showTools();
    }

    button(name, text, key, shownKey = key) {
      const button = makeElement("button", { type: "button", class: "button", id: `box-${name}` }, text);
      if (key) {
        button.setAttribute("aria-keyshortcuts", key);
        button.append(" ", makeElement("kbd", { class: "with-mouse", "aria-hidden": "true" }, shownKey));
      }
      button.addEventListener("click", () => this.run(name));
      return button;
    }

    showTools() {
      const { review } = this;
      find("box-tools").hidden = !review.isOpen;
      if (!review.isOpen && this.mode) {
        this.setMode("");
      }
      this.buttons.get("undo").disabled = !birdmodes.edits.canUndo(review.history);
      this.buttons.get("join").disabled = !this.next();
      for (const name of ["draw", "mend", "cut"]) {
        this.buttons.get(name).setAttribute("aria-pressed", String(this.mode === name));
      }
      this.hint.textContent = HINTS[this.mode] ?? "";
    }

    shown({ items, current, about }) {
      const isOther = this.current?.id !== current.id;
      this.items = items;
      this.current = current;
      this.about = about;
      if (isOther && this.mode !== "draw") {
        this.mode = "";
      }
      this.showTools();
      this.sketch();
    }

    setMode(mode) {
      this.mode = mode;
      this.drag = null;
      const { start_s, end_s, low_hz, high_hz } = this.current;
      this.box = mode === "mend" ? [start_s, end_s, low_hz, high_hz] : null;
      this.at_s = (start_s + end_s) / 2;
      this.page.plot.svg.style.touchAction = mode ? "none" : "";
      this.showTools();
      this.sketch();
    }

    // --- commands ---

    run(name) {
      if (name === "undo") {
        this.review.undo();
      } else if (name === "join") {
        this.join();
      } else if (name === "discard") {
        this.discard();
      } else {
        this.setMode(this.mode === name ? "" : name);
        find("scroll").focus?.({ preventScroll: true });
      }
    }

    // The sound after the current one in the clip.
    next() {
      const after = this.items.filter(
        ({ id, start_s }) => id !== this.current.id && start_s >= this.current.start_s,
      );
      return after.sort((a, b) => a.start_s - b.start_s)[0];
    }

    join() {
      const next = this.next();
      if (next) {
        this.keep("join", { syllables: [this.current.id, next.id] }, this.current.id);
      }
    }

    discard() {
      const { id } = this.current;
      const others = this.items.filter((item) => item.id !== id);
      const distance = (item) => Math.abs(item.start_s - this.current.start_s);
      const nearest = others.sort((a, b) => distance(a) - distance(b))[0];
      if (nearest) {
        this.page.go(nearest.id);
      }
      this.review.commit(birdmodes.edits.makeEdit("discard", { syllables: [id] }));
    }

    // Makes an edit; the syllable that it is about is shown and played.
    keep(action, parts, id = "") {
      const edit = birdmodes.edits.makeEdit(action, parts);
      const recording = parts.recording ?? birdmodes.boxEdits.recordingOf(this.current.id);
      const about = id || birdmodes.boxEdits.addedSyllable(recording, edit.id);
      this.mode = "";
      this.box = null;
      this.page.plot.svg.style.touchAction = "";
      this.page.playNext(about);
      this.review.commit(edit);
      if (about !== this.current.id) {
        this.page.go(about);
      }
    }

    keepBox() {
      const rounded = (value, digits) => Number(value.toFixed(digits));
      const [start_s, end_s, low_hz, high_hz] = this.box;
      const box = {
        start_s: rounded(start_s, 4),
        end_s: rounded(end_s, 4),
        low_hz: rounded(low_hz, 1),
        high_hz: rounded(high_hz, 1),
      };
      if (end_s - start_s < SMALLEST.s || high_hz - low_hz < SMALLEST.hz) {
        this.setMode(this.mode); // a slip of the hand
      } else if (this.mode === "draw") {
        this.keep("add-box", { recording: this.current.recording, ...box, species: "" });
      } else {
        this.keep("mend-box", { syllable: this.current.id, ...box }, this.current.id);
      }
    }

    cut() {
      const { start_s, end_s, id } = this.current;
      if (start_s < this.at_s && this.at_s < end_s) {
        this.keep("cut", { syllable: id, at_s: Number(this.at_s.toFixed(4)) }, id);
      }
    }

    // --- the mouse ---

    // Where a pointer is, in seconds and hertz, inside the clip.
    placeOf(event) {
      const { plot } = this.page;
      const { left, top } = plot.svg.getBoundingClientRect();
      const time_s = this.about.start_s + (event.clientX - left) / plot.perSecond;
      const share = 1 - (event.clientY - top - (plot.y(plot.highest_hz) ?? 0)) / plot.height;
      return [
        limit(time_s, this.about.start_s, this.about.end_s),
        limit(share * plot.highest_hz, 0, plot.highest_hz),
      ];
    }

    down(event) {
      if (!this.mode || event.button) {
        return;
      }
      event.preventDefault();
      this.page.plot.svg.setPointerCapture?.(event.pointerId);
      const [time_s, hz] = this.placeOf(event);
      if (this.mode === "draw") {
        this.drag = { time: 1, band: 3, from: [time_s, hz] };
        this.box = [time_s, time_s, hz, hz];
      } else if (this.mode === "mend") {
        this.drag = this.hold(time_s, hz);
      }
    }

    // What of the box is taken hold of: edges that are near, else all of it.
    hold(time_s, hz) {
      const { plot } = this.page;
      const [start_s, end_s, low_hz, high_hz] = this.box;
      const near = (a, b, first) => {
        const [x, y] = [Math.abs(a), Math.abs(b)];
        return Math.min(x, y) > NEAR ? -1 : x < y ? first : first + 1;
      };
      const perHz = plot.height / plot.highest_hz;
      const time = near((time_s - start_s) * plot.perSecond, (time_s - end_s) * plot.perSecond, 0);
      const band = near((hz - low_hz) * perHz, (hz - high_hz) * perHz, 2);
      return { time, band, from: [time_s, hz], before: [...this.box] };
    }

    move(event) {
      if (!this.drag) {
        return;
      }
      const [time_s, hz] = this.placeOf(event);
      const { time, band, from, before } = this.drag;
      if (this.mode === "draw") {
        const [first_s, first_hz] = from;
        this.box = [Math.min(first_s, time_s), Math.max(first_s, time_s), Math.min(first_hz, hz), Math.max(first_hz, hz)];
      } else if (time < 0 && band < 0) {
        const [by_s, by_hz] = [time_s - from[0], hz - from[1]];
        this.box = this.inside([before[0] + by_s, before[1] + by_s, before[2] + by_hz, before[3] + by_hz]);
      } else {
        this.box = [...this.box];
        if (time >= 0) {
          this.box[time] = time_s;
        }
        if (band >= 0) {
          this.box[band] = hz;
        }
        this.box = this.inside(this.box);
      }
      this.sketch();
    }

    up() {
      if (this.drag) {
        this.drag = null;
        this.keepBox();
      }
    }

    click(event) {
      if (!this.mode) {
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      if (this.mode === "cut") {
        [this.at_s] = this.placeOf(event);
        this.cut();
      }
    }

    // A box within the clip that is not turned inside out.
    inside([start_s, end_s, low_hz, high_hz]) {
      const { about } = this;
      const { highest_hz } = this.page.plot;
      const first_s = limit(start_s, about.start_s, about.end_s - SMALLEST.s);
      const first_hz = limit(low_hz, 0, highest_hz - SMALLEST.hz);
      return [
        first_s,
        limit(end_s, first_s + SMALLEST.s, about.end_s),
        first_hz,
        limit(high_hz, first_hz + SMALLEST.hz, highest_hz),
      ];
    }

    // --- the keyboard ---

    onKey(event) {
      const isText = event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, dialog");
      if (!this.review.isOpen || !this.current || isText || event.ctrlKey || event.metaKey) {
        return;
      }
      const isDone = this.mode ? this.onModeKey(event) : this.onCommandKey(event);
      if (isDone) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    }

    onCommandKey(event) {
      const tool = TOOLS.find(([, , key]) => key && key.toLowerCase() === event.key.toLowerCase());
      if (!tool || event.altKey || event.shiftKey) {
        return false;
      }
      this.run(tool[0]);
      return true;
    }

    onModeKey(event) {
      const { key } = event;
      const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[key];
      if (key === "Escape") {
        this.setMode("");
      } else if (key === "Enter" && !event.target.closest?.("button")) {
        this.enter();
      } else if (arrow && this.mode !== "draw") {
        this.shift(arrow, event);
      } else {
        return false;
      }
      return true;
    }

    enter() {
      if (this.mode === "cut") {
        this.cut();
      } else if (this.mode === "mend") {
        this.keepBox();
      } else {
        const { scroll, perSecond, highest_hz } = this.page.plot;
        const middle_s = this.about.start_s + (scroll.scrollLeft + scroll.clientWidth / 2) / perSecond;
        this.box = this.inside([middle_s - 0.1, middle_s + 0.1, 0.3 * highest_hz, 0.5 * highest_hz]);
        this.keepBox();
      }
    }

    shift([right, up], { shiftKey, altKey }) {
      const scale = altKey ? FINE : 1;
      const [by_s, by_hz] = [right * STEP.s * scale, up * STEP.hz * scale];
      if (this.mode === "cut") {
        this.at_s = limit(this.at_s + by_s, this.current.start_s, this.current.end_s);
      } else {
        const [start_s, end_s, low_hz, high_hz] = this.box;
        const first = shiftKey ? 0 : 1;
        this.box = this.inside([start_s + first * by_s, end_s + by_s, low_hz + first * by_hz, high_hz + by_hz]);
      }
      this.sketch();
    }

    // --- what is shown of it ---

    sketch() {
      const { plot } = this.page;
      plot.svg.querySelector(".sketch")?.remove();
      plot.svg.classList.toggle("mending", Boolean(this.mode));
      const places = this.mode === "cut" ? this.lineAt() : this.box && this.rectAt();
      if (!this.mode || !places) {
        return;
      }
      const sketch = shape("g", { class: "sketch" });
      sketch.append(shape(this.mode === "cut" ? "line" : "rect", places));
      if (this.mode === "mend") {
        sketch.append(...this.handles());
      }
      plot.svg.append(sketch);
    }

    // Small squares at the corners and in the middle of the edges, which can be dragged.
    handles() {
      const { x, y, width, height } = this.rectAt();
      const shares = [0, 0.5, 1].flatMap((right) => [0, 0.5, 1].map((down) => [right, down]));
      return shares
        .filter(([right, down]) => right !== 0.5 || down !== 0.5)
        .map(([right, down]) => {
          const [left, top] = [x + right * width - HANDLE / 2, y + down * height - HANDLE / 2];
          return shape("rect", { class: "handle", x: left, y: top, width: HANDLE, height: HANDLE });
        });
    }

    lineAt() {
      const { plot } = this.page;
      const x = plot.x(this.at_s);
      return { x1: x, x2: x, y1: plot.y(this.current.high_hz), y2: plot.y(this.current.low_hz) };
    }

    rectAt() {
      const { plot } = this.page;
      const [start_s, end_s, low_hz, high_hz] = this.box;
      const [x, y] = [plot.x(start_s), plot.y(high_hz)];
      return { x, y, width: plot.x(end_s) - x, height: plot.y(low_hz) - y };
    }
  }

  birdmodes.syllableBoxes = new BoxTools();
})();
