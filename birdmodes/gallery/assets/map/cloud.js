// A cloud of points on a canvas that can be moved and zoomed: quick also for 100,000 points and
// without a graphics card, because it writes pixels itself.
//
// cloud = new birdmodes.MapCloud(canvas, x, y)   x, y: places from 0 to 65535, y upwards
// cloud.paint({ ground, mark, layers, selected, shown })   what to draw, see there
// cloud.fit(), .zoom(factor, at), .pan(dx, dy)   in pixels of the style sheet
// cloud.nearest(at, reach), .inside(polygon), .rowsInView(), .placeOf(row)
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const SIZE = 65536; // of the map, in its own units
  const CELLS = 128; // of the grid for finding points, per side
  const ROOM = 0.06; // around all points, part of the canvas
  const CLOSEST = 400; // most that can be zoomed in
  const REACH = 18; // most pixels from the centre of a point to its edge
  const BORDER = 2 * REACH; // pixels around the canvas that are written but not seen

  // Smallest and largest place, kept apart where all are the same.
  function rangeOf(axis) {
    const low = axis.reduce((a, b) => Math.min(a, b), SIZE);
    const high = axis.reduce((a, b) => Math.max(a, b), 0);
    return [low, Math.max(high, low + 1)];
  }

  // Rows by cell of a grid: those of cell c are rows[first[c]] to rows[first[c + 1] - 1].
  function gridOf(x, y) {
    const n = x.length;
    const cells = new Uint16Array(n);
    const first = new Uint32Array(CELLS * CELLS + 1);
    for (let row = 0; row < n; row++) {
      cells[row] = ((y[row] * CELLS) >> 16) * CELLS + ((x[row] * CELLS) >> 16);
      first[cells[row] + 1]++;
    }
    for (let cell = 0; cell < CELLS * CELLS; cell++) {
      first[cell + 1] += first[cell];
    }
    const next = first.slice();
    const rows = new Uint32Array(n);
    for (let row = 0; row < n; row++) {
      rows[next[cells[row]]++] = row;
    }
    return { first, rows };
  }

  // Pixels of a disc, as steps in the buffer: those inside, and those half covered at its edge.
  function disc(radius, stride, hole = 0) {
    const inner = [];
    const edge = [];
    const reach = Math.ceil(radius);
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const distance = Math.hypot(dx, dy);
        if (distance <= radius - 0.3 && distance >= hole) {
          inner.push(dy * stride + dx);
        } else if (distance <= radius + 0.35 && distance >= hole) {
          edge.push(dy * stride + dx);
        }
      }
    }
    return { inner: Int32Array.from(inner), edge: Int32Array.from(edge) };
  }

  // The bytes of a colour in memory are red, green, blue, opacity on all machines with browsers.
  function packed(hex) {
    const rgb = Number.parseInt(hex.slice(1), 16);
    return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
  }

  class MapCloud {
    constructor(canvas, x, y) {
      this.canvas = canvas;
      this.context = canvas.getContext("2d");
      this.x = Uint16Array.from(x);
      this.y = Uint16Array.from(y);
      this.n = x.length;
      this.extent = [...rangeOf(this.x), ...rangeOf(this.y)];
      this.grid = gridOf(this.x, this.y);
      this.shown = new Uint8Array(this.n).fill(1);
      this.layers = [];
      this.selected = [];
      this.draws = 0;
      this.draw_ms = 0;
      this.isWaiting = false;
      this.onMove = () => {};
      this.resize();
      this.fit();
    }

    // --- the part of the map that is seen: pixels of the screen = map * scale + offset ---

    resize() {
      const box = this.canvas.getBoundingClientRect();
      if (this.image && !(box.width && box.height)) {
        return; // it is not shown now; where one looked is kept for when it is
      }
      const middle = this.image && this.mapAt([this.width / 2, this.height / 2]);
      const before = this.image && this.unit;
      this.ratio = Math.min(devicePixelRatio || 1, 2);
      this.width = Math.max(Math.round(box.width), 1);
      this.height = Math.max(Math.round(box.height), 1);
      const width = Math.round(this.width * this.ratio);
      const height = Math.round(this.height * this.ratio);
      this.canvas.width = width;
      this.canvas.height = height;
      this.stride = width + 2 * BORDER;
      this.image = new ImageData(this.stride, height + 2 * BORDER);
      this.pixels = new Uint32Array(this.image.data.buffer);
      // Scale at which all points are seen.
      const [left, right, low, high] = this.extent;
      this.unit = (1 - 2 * ROOM) * Math.min(width / (right - left), height / (high - low));
      if (middle) {
        this.scale *= this.unit / before;
        this.lookAt(...middle);
        this.draw(); // at once: a canvas of a new size is empty
        this.onMove();
      }
    }

    fit() {
      const [left, right, low, high] = this.extent;
      this.scale = this.unit;
      this.lookAt((left + right) / 2, (low + high) / 2);
      this.moved();
    }

    // Whole pixels, so that the points do not tremble against each other.
    lookAt(x, y) {
      this.offsetX = Math.round(this.canvas.width / 2 - x * this.scale);
      this.offsetY = Math.round(this.canvas.height / 2 + y * this.scale);
    }

    /** @param {number[]} place */
    mapAt([left, top]) {
      return [
        (left * this.ratio - this.offsetX) / this.scale,
        (this.offsetY - top * this.ratio) / this.scale,
      ];
    }

    placeOf(row) {
      return [
        (this.x[row] * this.scale + this.offsetX) / this.ratio,
        (this.offsetY - this.y[row] * this.scale) / this.ratio,
      ];
    }

    get zoomed() {
      return this.scale / this.unit;
    }

    /** @param {number} factor @param {number[]} at */
    zoom(factor, at = [this.width / 2, this.height / 2]) {
      const [x, y] = this.mapAt(at);
      const wanted = this.scale * factor;
      this.scale = Math.min(Math.max(wanted, this.unit / 2), this.unit * CLOSEST);
      this.offsetX = Math.round(at[0] * this.ratio - x * this.scale);
      this.offsetY = Math.round(at[1] * this.ratio + y * this.scale);
      this.moved();
    }

    pan(left, top) {
      this.offsetX += Math.round(left * this.ratio);
      this.offsetY += Math.round(top * this.ratio);
      this.moved();
    }

    centre(row, zoomed = this.zoomed) {
      this.scale = this.unit * zoomed;
      this.lookAt(this.x[row], this.y[row]);
      this.moved();
    }

    moved() {
      this.askForDraw();
      this.onMove();
    }

    // --- finding points; only those that are shown ---

    nearest(at, reach = Infinity) {
      const [x, y] = this.mapAt(at);
      const limit = Number.isFinite(reach) ? (reach * this.ratio) / this.scale : 2 * SIZE;
      // Rings of cells around the place, until none can be nearer.
      const cell = SIZE / CELLS;
      const middleX = Math.floor(x / cell);
      const middleY = Math.floor(y / cell);
      let best = -1;
      let bestDistance = limit;
      for (let ring = 0; (ring - 1) * cell <= bestDistance; ring++) {
        for (const [cx, cy] of this.ring(middleX, middleY, ring)) {
          const inCell = cy * CELLS + cx;
          for (let n = this.grid.first[inCell]; n < this.grid.first[inCell + 1]; n++) {
            const row = this.grid.rows[n];
            const distance = Math.hypot(this.x[row] - x, this.y[row] - y);
            if (distance <= bestDistance && this.shown[row]) {
              best = row;
              bestDistance = distance;
            }
          }
        }
      }
      return best;
    }

    *ring(middleX, middleY, ring) {
      for (let cy = middleY - ring; cy <= middleY + ring; cy++) {
        const isWhole = Math.abs(cy - middleY) === ring;
        const step = isWhole || ring === 0 ? 1 : 2 * ring;
        for (let cx = middleX - ring; cx <= middleX + ring; cx += step) {
          if (cx >= 0 && cy >= 0 && cx < CELLS && cy < CELLS) {
            yield [cx, cy];
          }
        }
      }
    }

    // Rows inside a polygon of places on the canvas.
    inside(polygon) {
      const corners = polygon.map((at) => this.mapAt(at));
      const left = Math.min(...corners.map(([x]) => x));
      const right = Math.max(...corners.map(([x]) => x));
      const low = Math.min(...corners.map(([, y]) => y));
      const high = Math.max(...corners.map(([, y]) => y));
      const rows = [];
      for (let row = 0; row < this.n; row++) {
        const x = this.x[row];
        const y = this.y[row];
        const isNear = x >= left && x <= right && y >= low && y <= high && this.shown[row];
        if (isNear && isInside(x, y, corners)) {
          rows.push(row);
        }
      }
      return rows;
    }

    rowsInView() {
      const { width, height } = this;
      return this.inside([[0, 0], [width, 0], [width, height], [0, height]]);
    }

    // --- drawing ---

    // ground, mark   "#rrggbb" of the canvas and of rings around what is selected
    // layers         from back to front: {rows, colours}, with a packed colour for each of the rows
    // selected       rows with a ring
    // shown          by row: 0 for points that are not there for the mouse either
    paint({ ground, mark, layers, selected, shown }) {
      this.ground = packed(ground);
      this.mark = packed(mark);
      this.layers = layers.map(({ rows, colours }) => ({
        x: this.placesOf(this.x, rows),
        y: this.placesOf(this.y, rows),
        colours,
      }));
      this.selected = selected;
      this.shown = shown;
      this.askForDraw();
    }

    placesOf(axis, rows) {
      const places = new Float32Array(rows.length);
      for (let i = 0; i < rows.length; i++) {
        places[i] = axis[rows[i]];
      }
      return places;
    }

    askForDraw() {
      if (!this.isWaiting) {
        this.isWaiting = true;
        requestAnimationFrame(() => {
          this.isWaiting = false;
          this.draw();
        });
      }
    }

    // Radius of a point in pixels of the screen: smaller where there are many, larger when near.
    get radius() {
      const crowd = this.n > 20_000 ? 1.3 : this.n > 2_000 ? 1.9 : 2.8;
      return Math.min(crowd * this.zoomed ** 0.3, 5.5) * this.ratio;
    }

    draw() {
      const started = performance.now();
      const { pixels, radius, stride } = this;
      pixels.fill(this.ground ?? 0);
      const point = disc(radius, stride);
      for (const { x, y, colours } of this.layers) {
        this.stamp(point, x, y, colours);
      }
      if (this.selected.length) {
        const ring = disc(radius + 2 * this.ratio, stride, radius + 0.6 * this.ratio);
        const colours = new Uint32Array(this.selected.length).fill(this.mark);
        const { x, y, selected } = this;
        this.stamp(ring, this.placesOf(x, selected), this.placesOf(y, selected), colours);
      }
      this.context.putImageData(this.image, -BORDER, -BORDER);
      this.draws++;
      this.draw_ms = performance.now() - started;
    }

    stamp({ inner, edge }, x, y, colours) {
      const { pixels, stride, scale, offsetX, offsetY } = this;
      const right = stride - REACH;
      const bottom = this.image.height - REACH;
      for (let i = 0; i < x.length; i++) {
        const left = Math.round(x[i] * scale) + offsetX + BORDER;
        const top = offsetY - Math.round(y[i] * scale) + BORDER;
        if (left < REACH || top < REACH || left >= right || top >= bottom) {
          continue;
        }
        const at = top * stride + left;
        const colour = colours[i];
        for (let k = 0; k < inner.length; k++) {
          pixels[at + inner[k]] = colour;
        }
        for (let k = 0; k < edge.length; k++) {
          // Halfway between both colours, all four parts at once.
          const below = pixels[at + edge[k]];
          pixels[at + edge[k]] = (((below ^ colour) & 0xfefefefe) >>> 1) + (below & colour);
        }
      }
    }
  }

  function isInside(x, y, corners) {
    let inside = false;
    for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
      const [ax, ay] = corners[i];
      const [bx, by] = corners[j];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) {
        inside = !inside;
      }
    }
    return inside;
  }

  birdmodes.MapCloud = MapCloud;
  birdmodes.MapCloud.packed = packed;
})();
