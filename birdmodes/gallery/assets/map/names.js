// Names of the groups on the map, where there is room for them.
//
// birdmodes.mapNames.of(state)                  of map.js: what could be written, the largest groups first
// birdmodes.mapNames.draw(context, names, cloud, {ink, ground})   those that do not cover each other
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const FONT = "600 12px system-ui, sans-serif";
  const LINE = 15;
  const HALO = 3.5;

  // Each stands at the syllable that is nearest to the middle of its group. Where some groups are brought
  // out, only these are named; grey ones never are.
  function of({ grouping, middles, shown, chosen, isOther }) {
    const { x, y } = birdmodesData.syllables;
    const best = grouping.keys.map(() => ({ row: -1, distance: Infinity, count: 0 }));
    grouping.of.forEach((number, row) => {
      if (shown[row]) {
        const [mx, my] = middles[number];
        const distance = Math.hypot(x[row] - mx, y[row] - my);
        const own = best[number];
        own.count += 1;
        if (distance < own.distance) {
          own.distance = distance;
          own.row = row;
        }
      }
    });
    return best
      .map(({ row, count }, number) => ({ row, count, text: grouping.labels[number], key: grouping.keys[number], number }))
      .filter(({ row, key, number }) => row >= 0 && !isOther[number] && (!chosen.size || chosen.has(key)))
      .sort((a, b) => b.count - a.count);
  }

  const isApart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;

  // Pixels at the rim of the map; below, and at the left of its upper part, they belong to its axes' words.
  const RIM = { left: 6, right: 6, top: 6, bottom: 32 };
  const AXIS = { width: 42, height: 130 };

  // A name near the rim of the map is moved inwards, so that all of it can be read.
  const within = (place, half, from, to) => Math.max(from + half, Math.min(place, to - half));

  // Where another name stands, it goes a line or two above or below.
  const LINES = [0, -1, 1, -2, 2];

  function draw(context, names, cloud, { ink, ground }) {
    const taken = [];
    context.font = FONT;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    for (const { row, text } of names) {
      const [x, y] = cloud.placeOf(row);
      if (x < 0 || x > cloud.width || y < 0 || y > cloud.height) {
        continue;
      }
      const half = context.measureText(text).width / 2 + 3;
      for (const lines of LINES) {
        const top = within(y + lines * (LINE + 1), LINE / 2, RIM.top, cloud.height - RIM.bottom);
        const left = within(x, half, top < AXIS.height ? AXIS.width : RIM.left, cloud.width - RIM.right);
        const box = { left: left - half, right: left + half, top: top - LINE / 2, bottom: top + LINE / 2 };
        if (!taken.every((other) => isApart(box, other))) {
          continue;
        }
        taken.push(box);
        context.strokeStyle = ground;
        context.lineWidth = HALO;
        context.strokeText(text, left, top);
        context.fillStyle = ink;
        context.fillText(text, left, top);
        break;
      }
    }
    return taken.length;
  }

  birdmodes.mapNames = { of, draw };
})();
