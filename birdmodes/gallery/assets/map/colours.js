// How the points of the map are put into groups, and the colours of these groups.
//
// birdmodes.mapColours.offered(gallery)     what can be coloured by: [name, text] of each
// birdmodes.mapColours.group(by, facts)     {labels: [...], counts: [...], of: Uint16Array by row}
// birdmodes.mapColours.centres(grouping, x, y)      middle of every group on the map
// birdmodes.mapColours.assign(grouping, by, centres)  colour of every group, and which are "others"
// birdmodes.mapColours.ofStyle("--text")    "#rrggbb"
// birdmodes.mapColours.shuffled(n)          rows in the order in which they are drawn
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  // Colours with a contrast of 3 : 1 to the ground, found by search. The first eight and the grey stay
  // apart for people who see no red, no green or no blue: the distance of the two most alike is at
  // least 11 hundredths in OKLab, with full colour vision as well as without a kind of cones. The
  // eleven more are as far from all others with full colour vision, and at least 5 hundredths without
  // a kind of cones; names on the map tell them apart for everybody.
  const PALETTE = {
    light: [
      "#2213a5", "#dd7318", "#085f74", "#8144cb", "#ab3d18", "#6b8df2", "#4f025d", "#6f0f09",
      "#00003c", "#ff2db4", "#2d0000", "#004bff", "#f00f4b", "#0f3c2d", "#c30096", "#c369d2",
      "#961e5a", "#00874b", "#4b3c78",
    ],
    dark: [
      "#99c9fe", "#f1d32c", "#53b61f", "#ff9fa2", "#b288fd", "#aafdda", "#a740b7", "#017e1c",
      "#0069ff", "#e11e00", "#ff4bb4", "#00ff87", "#a5b478", "#ffd2ff", "#00d2c3", "#b44b69",
      "#d2ff00", "#4b96d2", "#c3785a",
    ],
  };
  const GREY = { light: "#7a847f", dark: "#7d8a84" };
  // From low to high; the lightness tells the order to everybody.
  const SEQUENCE = {
    light: ["#d9752f", "#bf4f63", "#8f3b82", "#57308a", "#1c1c60"],
    dark: ["#8a63d2", "#c264a8", "#ea7f76", "#f7b558", "#f6f06b"],
  };
  const GROUPINGS = {
    species: "Species",
    mode: "Mode",
    confidence: "Confidence",
    review: "Review",
    group: "Recording group",
  };
  const KINDS = { background: "Background", unassigned: "Unassigned" };
  const REVIEWS = {
    "": "Not reviewed",
    good: "Good example",
    noise: "Noise",
    "not-species": "Not this species",
    moved: "Moved",
  };

  // Groups in the order of their first appearance in `keys`, or in that of `order`.
  function groupsOf(n, keyOf, labelOf, order = null) {
    const numbers = new Map((order ?? []).map((key, number) => [key, number]));
    const of = new Uint16Array(n);
    const counts = new Array(numbers.size).fill(0);
    for (let row = 0; row < n; row++) {
      const key = keyOf(row);
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
        counts.push(0);
      }
      of[row] = number;
      counts[number]++;
    }
    return { keys: [...numbers.keys()], labels: [...numbers.keys()].map(labelOf), counts, of };
  }

  // Largest first, so that the colours go to what is seen most.
  /** @param {(key: string) => boolean} isLast */
  function bySize(grouping, isLast = () => false) {
    const order = grouping.keys.map((_, number) => number);
    const weight = (number) => (isLast(grouping.keys[number]) ? 1 : 0);
    order.sort((a, b) => weight(a) - weight(b) || grouping.counts[b] - grouping.counts[a] || a - b);
    const place = new Uint16Array(order.length);
    order.forEach((old, number) => {
      place[old] = number;
    });
    return {
      keys: order.map((old) => grouping.keys[old]),
      labels: order.map((old) => grouping.labels[old]),
      counts: order.map((old) => grouping.counts[old]),
      of: grouping.of.map((old) => place[old]),
    };
  }

  // `facts` has for every row cluster, confidence, review and recording group, and for clusters name,
  // species, kind.
  function group(by, facts) {
    const { n, cluster, confidence, review } = facts;
    if (by === "confidence") {
      const labels = ["below 0.2", "0.2 to 0.4", "0.4 to 0.6", "0.6 to 0.8", "0.8 and more"];
      const step = (row) => Math.min(Math.floor(confidence[row] * 5 + 1e-9), 4);
      return groupsOf(n, step, (key) => labels[key], [0, 1, 2, 3, 4]);
    }
    if (by === "review") {
      return groupsOf(n, (row) => review[row], (key) => REVIEWS[key] ?? key, Object.keys(REVIEWS));
    }
    if (by === "group") {
      const keyOf = (row) => facts.groupOf(row)?.group ?? "\n";
      const labelOf = (key) => facts.groups.get(key)?.name ?? "No group";
      return bySize(groupsOf(n, keyOf, labelOf), (key) => key === "\n");
    }
    if (by === "mode") {
      const grouping = groupsOf(n, (row) => cluster[row], (key) => facts.nameOf(key));
      return bySize(grouping, (key) => facts.speciesOf(key) === "");
    }
    // A species may be called like a kind: keys of kinds cannot be names of species.
    const keyOfCluster = new Map(
      facts.clusters.map((number) => [number, facts.speciesOf(number) || `\n${facts.kindOf(number)}`]),
    );
    const keyOf = (row) => keyOfCluster.get(cluster[row]);
    const labelOf = (key) => (key.startsWith("\n") ? (KINDS[key.slice(1)] ?? "No species") : key);
    return bySize(groupsOf(n, keyOf, labelOf), (key) => key.startsWith("\n"));
  }

  // Without modes, there is nothing but recording groups to colour by; without those, no offer of them.
  function offered(gallery) {
    const all = Object.entries(GROUPINGS);
    const isGroup = (one) => one[0] === "group";
    if (!gallery.groups?.length) {
      return all.filter((one) => !isGroup(one));
    }
    return gallery.modes.length ? all : all.filter(isGroup);
  }

  function isDark() {
    const [red, green, blue] = birdmodes.colour("--surface").match(/[\d.]+/g).map(Number);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
  }

  // A colour of gallery.css as "#rrggbb".
  function ofStyle(name) {
    const parts = birdmodes.colour(name).match(/[\d.]+/g).slice(0, 3);
    return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, "0")).join("")}`;
  }

  // Always the same order, but without regard to groups, so that none covers the others.
  function shuffled(n) {
    const rows = Uint32Array.from({ length: n }, (_, row) => row);
    let seed = 1;
    for (let last = n - 1; last > 0; last--) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      const other = Math.floor((seed / 2 ** 32) * (last + 1));
      [rows[last], rows[other]] = [rows[other], rows[last]];
    }
    return rows;
  }

  function median(values) {
    values.sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)] ?? 0;
  }

  function centres(grouping, x, y) {
    const rows = grouping.keys.map(() => []);
    grouping.of.forEach((number, row) => rows[number].push(row));
    return rows.map((own) => [median(own.map((row) => x[row])), median(own.map((row) => y[row]))]);
  }

  // Colours of the groups. With more groups than colours, these come again, as far as possible from the
  // groups that have them already.
  function assign(grouping, by, middles) {
    const theme = isDark() ? "dark" : "light";
    const n = grouping.keys.length;
    if (by === "confidence") {
      return { colours: SEQUENCE[theme], isOther: new Array(n).fill(false) };
    }
    const palette = PALETTE[theme];
    const colours = new Array(n).fill(GREY[theme]);
    const isOther = new Array(n).fill(true);
    const users = palette.map(() => []); // middles of the groups that have each colour
    const isGrey = (key) => (by === "review" ? key === "" : String(key).startsWith("\n"));
    const distance = ([x, y], slot) =>
      users[slot].reduce((least, [ux, uy]) => Math.min(least, Math.hypot(x - ux, y - uy)), Infinity);
    grouping.keys.forEach((key, number) => {
      if (isGrey(key)) {
        return;
      }
      const free = users.findIndex((own) => own.length === 0);
      const slots = [...palette.keys()];
      const slot =
        free >= 0
          ? free
          : slots.reduce((best, one) => (distance(middles[number], one) > distance(middles[number], best) ? one : best));
      users[slot].push(middles[number]);
      colours[number] = palette[slot];
      isOther[number] = false;
    });
    return { colours, isOther };
  }

  birdmodes.mapColours = { offered, PALETTE, GREY, SEQUENCE, group, centres, assign, ofStyle, shuffled };
})();
