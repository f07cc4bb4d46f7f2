// The page of the map: what is shown, pointed at, selected and played.
//
// birdmodes.map   for tests and the curious: the cloud and what is selected
"use strict";

(() => {
  const { mapColours, mapNames: names, mapPanels, MapCloud, SyllableFacts, MapFilters, MapLegend, MapSound } = birdmodes;
  const LISTED = 60; // most syllables in the list of what is selected
  const REACH = 14; // pixels from the mouse to a point
  const CLOSE = 4; // zoom to show a single syllable
  const find = (id) => document.getElementById(id);
  const gallery = globalThis.birdmodesData?.gallery;

  const state = {
    by: gallery && !gallery.modes.length ? "group" : "species",
    grouping: null,
    colours: [], // by group
    isOther: [], // by group: it has no colour of its own
    hidden: new Set(), // keys of groups
    chosen: new Set(), // keys of groups that are highlighted
    shown: null, // by row
    selected: new Set(), // rows
    pointed: -1, // row under the mouse
    focused: -1, // row that was clicked, or is nearest to the middle
    outline: null, // of the lasso
    ink: "", // colour of lines
    ground: "",
    middles: [], // of the groups, on the map
    names: [], // to be written on it
    tool: "move",
  };
  let facts = null;
  let filters = null;
  let legend = null;
  let cloud = null;
  let order = null;
  const sound = new MapSound(showPlaying, (text) => {
    find("map-sound-problem").textContent = text;
  });

  function fail(text) {
    find("map-problem").textContent = text;
    find("map-problem").hidden = false;
  }

  // --- drawing ---

  function paint() {
    state.grouping = mapColours.group(state.by, facts);
    const { keys, of } = state.grouping;
    const numbersOf = (wanted) => new Set([...keys.keys()].filter((number) => wanted.has(keys[number])));
    const chosen = numbersOf(state.chosen);
    const hidden = numbersOf(state.hidden);
    const { x, y } = birdmodesData.syllables;
    state.middles = mapColours.centres(state.grouping, x, y);
    Object.assign(state, mapColours.assign(state.grouping, state.by, state.middles));
    const passes = filters.test();
    state.shown = Uint8Array.from(of, (number, row) => !hidden.has(number) && passes(row));
    const shown = order.filter((row) => state.shown[row]);
    // Grey below colours, and what is highlighted on top.
    const isBack = of.constructor.from(state.isOther, (isOther, number) =>
      chosen.size ? !chosen.has(number) : isOther,
    );
    const faded = mapColours.ofStyle("--line");
    state.ink = mapColours.ofStyle("--text");
    state.ground = mapColours.ofStyle("--surface");
    state.colours = state.colours.map((colour, number) =>
      chosen.size && !chosen.has(number) ? faded : colour,
    );
    const packed = state.colours.map(MapCloud.packed);
    cloud.paint({
      ground: state.ground,
      mark: state.ink,
      layers: [1, 0].map((back) => {
        const rows = shown.filter((row) => isBack[of[row]] === back);
        return { rows, colours: rows.map((row) => packed[of[row]]) };
      }),
      selected: [...state.selected].filter((row) => state.shown[row]),
      shown: state.shown,
    });
    state.names = names.of(state);
    const all = facts.n.toLocaleString("en");
    find("map-count").textContent =
      shown.length === facts.n
        ? `${all} syllables`
        : `${shown.length.toLocaleString("en")} of ${all} syllables shown`;
    showOverlay();
  }

  function showOverlay() {
    const canvas = find("map-overlay");
    const context = canvas.getContext("2d");
    const { ratio } = cloud;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, cloud.width, cloud.height);
    if (find("map-names").checked) {
      names.draw(context, state.names, cloud, { ink: state.ink, ground: state.ground });
    }
    context.strokeStyle = state.ink;
    if (state.outline) {
      context.beginPath();
      state.outline.forEach(([left, top]) => context.lineTo(left, top));
      context.closePath();
      context.setLineDash([5, 4]);
      context.lineWidth = 1.5;
      context.stroke();
      context.setLineDash([]);
    }
    for (const [row, extra] of [[state.pointed, 3], [state.focused, 5]]) {
      if (row >= 0 && state.shown[row]) {
        const [left, top] = cloud.placeOf(row);
        context.lineWidth = 2;
        context.beginPath();
        context.arc(left, top, cloud.radius / ratio + extra, 0, 2 * Math.PI);
        context.stroke();
      }
    }
  }

  // --- panels ---

  function showCard(at) {
    const card = find("map-card");
    card.hidden = state.pointed < 0;
    if (state.pointed >= 0) {
      if (card.dataset.row !== String(state.pointed)) {
        card.dataset.row = state.pointed;
        card.replaceChildren(...mapPanels.card(facts.of(state.pointed)));
      }
      // Beside the point, above or below it, but never outside the frame.
      const [left, top] = at;
      const isRight = left > cloud.width / 2;
      const isLow = top > cloud.height / 2;
      const wanted = isRight ? left - card.offsetWidth - 16 : left + 16;
      const most = cloud.width - card.offsetWidth - 4;
      card.style.left = `${Math.max(Math.min(wanted, most), 4)}px`;
      card.style.top = isLow ? "auto" : `${top + 16}px`;
      card.style.bottom = isLow ? `${cloud.height - top + 16}px` : "auto";
    }
  }

  function showFocus() {
    const row = state.focused;
    const id = document.activeElement?.id;
    if (row < 0) {
      const text = "Point at a syllable on the map to see it here; click it to hear it.";
      find("map-focus").replaceChildren(birdmodes.reviewDom.make("p", { class: "note" }, text));
      return;
    }
    const content = mapPanels.focus(facts.of(row), {
      isPlaying: sound.playing === row,
      isSelected: state.selected.has(row),
      play: () => sound.toggle(row),
      toggle: () => toggle(row),
    });
    find("map-focus").replaceChildren(...content);
    if (id === "map-play" || id === "map-toggle") {
      find(id).focus();
    }
  }

  function showSelection() {
    const rows = [...state.selected];
    const { length } = rows;
    const more = length > LISTED ? `, the first ${LISTED} here` : "";
    find("map-selected").textContent = length
      ? `${length.toLocaleString("en")} ${length === 1 ? "syllable" : "syllables"} selected${more}`
      : "Nothing is selected. Draw a lasso or a rectangle around syllables.";
    find("map-clear").disabled = length === 0;
    const listed = rows.slice(0, LISTED).map((row) => facts.of(row));
    const play = (row) => sound.toggle(row);
    mapPanels.list(find("map-list"), listed, { play, playing: sound.playing });
  }

  // --- selecting ---

  function announce() {
    const rows = state.selected.size || state.focused < 0 ? [...state.selected] : [state.focused];
    const detail = { syllables: rows.map(birdmodes.syllableId) };
    document.dispatchEvent(new CustomEvent("birdmodes:selection", { detail }));
  }

  function select(rows, isMore = false) {
    state.selected = new Set(isMore ? [...state.selected, ...rows] : rows);
    paint();
    showSelection();
    showFocus();
    announce();
  }

  function toggle(row) {
    const rows = new Set(state.selected);
    rows[rows.has(row) ? "delete" : "add"](row);
    select(rows);
  }

  function focus(row) {
    if (row !== state.focused) {
      state.focused = row;
      showFocus();
      if (state.selected.size === 0) {
        announce();
      }
    }
    showOverlay();
  }

  function showPlaying() {
    showFocus();
    for (const item of find("map-list").children) {
      const isThis = birdmodes.rowOf(item.dataset.syllable) === sound.playing;
      item.querySelector("button").setAttribute("aria-pressed", String(isThis));
    }
  }

  // --- controls ---

  function setTool(tool) {
    state.tool = tool;
    for (const button of document.querySelectorAll("[data-tool]")) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    }
    find("map-overlay").dataset.does = tool;
  }

  function setGrouping(by) {
    state.by = by;
    find("map-by").value = by;
    state.hidden.clear();
    state.chosen.clear();
    paint();
    legend.clear();
  }

  function point(row, at) {
    state.pointed = row;
    showCard(at);
    showOverlay();
  }

  // For the keyboard, the middle of the map is what the mouse points at.
  function focusOnMiddle() {
    const row = cloud.nearest([cloud.width / 2, cloud.height / 2]);
    focus(row);
    point(row, row < 0 ? null : cloud.placeOf(row));
  }

  function leave() {
    point(-1, null);
  }

  function resize() {
    cloud.resize();
    find("map-overlay").width = find("map-points").width;
    find("map-overlay").height = find("map-points").height;
    showOverlay();
  }

  function gestures() {
    birdmodes.mapGestures(find("map-overlay"), cloud, {
      tool: () => state.tool,
      point: (at) => point(cloud.nearest(at, REACH), at),
      leave,
      click: (at, isMore) => {
        const row = cloud.nearest(at, REACH);
        focus(row);
        point(row, at);
        if (row >= 0 && isMore) {
          toggle(row);
        } else if (row >= 0) {
          sound.toggle(row);
        }
      },
      outline: (polygon) => {
        state.outline = polygon;
        leave();
      },
      select: (polygon, isMore) => {
        state.outline = null;
        select(cloud.inside(polygon), isMore);
      },
      keyboard: (action) => {
        if (action === "moved" || state.focused < 0) {
          focusOnMiddle();
        } else if (action === "play") {
          sound.toggle(state.focused);
        } else {
          toggle(state.focused);
        }
      },
    });
    find("map-overlay").addEventListener("focus", (event) => {
      if (state.focused < 0 && event.target.matches(":focus-visible")) {
        focusOnMiddle();
      }
    });
  }

  function controls() {
    for (const button of document.querySelectorAll("[data-tool]")) {
      button.addEventListener("click", () => setTool(button.dataset.tool));
    }
    find("map-in").addEventListener("click", () => cloud.zoom(birdmodes.mapGestures.ZOOM));
    find("map-out").addEventListener("click", () => cloud.zoom(1 / birdmodes.mapGestures.ZOOM));
    find("map-all").addEventListener("click", () => cloud.fit());
    find("map-by").append(...mapColours.offered(gallery).map(([key, text]) => new Option(text, key)));
    find("map-by").addEventListener("change", (event) => setGrouping(event.target.value));
    find("map-select-view").addEventListener("click", () => select(cloud.rowsInView()));
    find("map-clear").addEventListener("click", () => select([]));
    find("map-names").addEventListener("change", showOverlay);
    document.addEventListener("keydown", (event) => {
      const isFree = !document.querySelector("dialog[open]") && !(event.target instanceof Element && event.target.closest("input, select"));
      if (event.key === "Escape" && isFree && state.selected.size) {
        select([]);
      }
    });
  }

  // map.html#cluster-3 highlights a mode, map.html#<syllable> shows where it is.
  function followAddress() {
    let wanted = "";
    try {
      wanted = decodeURIComponent(location.hash.slice(1));
    } catch {
      // Not an address that this gallery makes.
    }
    const cluster = /^cluster-(\d+)$/.exec(wanted);
    if (cluster) {
      setGrouping("mode");
      if (state.grouping.keys.includes(Number(cluster[1]))) {
        legend.choose(Number(cluster[1]));
      }
      return;
    }
    const row = wanted ? birdmodes.rowOf(wanted) : -1;
    if (row >= 0) {
      cloud.centre(row, CLOSE);
      focus(row);
    }
  }

  function note() {
    const { method, explained, features } = gallery.map;
    const percent = (share) => `${Math.round(share * 100)} %`;
    if (method === "umap") {
      find("map-note").textContent =
        `Laid out from ${features} by UMAP, which keeps neighbours together: sizes of groups and distances between them mean little.`;
      return;
    }
    const shares = explained ? `, and hold ${percent(explained[0])} and ${percent(explained[1])} of the variance` : "";
    find("map-note").textContent =
      `The axes are the first two principal components (PCA) of ${features}${shares}. What lies apart is different; what lies together may still differ in other ways.`;
    find("map-x").textContent = `PC 1${explained ? ` (${percent(explained[0])})` : ""} →`;
    find("map-y").textContent = `PC 2${explained ? ` (${percent(explained[1])})` : ""} →`;
  }

  async function start() {
    if (!gallery) {
      fail("data/gallery.js is missing or damaged: copy the whole gallery folder.");
      return;
    }
    note();
    try {
      await birdmodes.loadSyllables();
      await birdmodes.review?.ready;
    } catch (error) {
      fail(`${error.message}.`);
      return;
    }
    const { syllables } = birdmodesData;
    if (!syllables.cluster.length) {
      fail("There are no syllables.");
      return;
    }
    find("map").hidden = false;
    facts = new SyllableFacts(gallery, syllables);
    order = mapColours.shuffled(facts.n);
    filters = new MapFilters(facts, paint);
    legend = new MapLegend(state, paint);
    cloud = new MapCloud(find("map-points"), syllables.x, syllables.y);
    cloud.onMove = leave;
    new ResizeObserver(resize).observe(find("map-frame"));
    controls();
    gestures();
    setGrouping(state.by);
    setTool("move");
    showFocus();
    showSelection();
    followAddress();
    listen();
    birdmodes.map = { cloud, state };
  }

  function listen() {
    addEventListener("hashchange", followAddress);
    document.addEventListener("birdmodes:theme", () => {
      paint();
      legend.show();
    });
    document.addEventListener("birdmodes:reviewed", () => {
      facts.read();
      filters.fill();
      paint();
      legend.show();
      showFocus();
      showSelection();
    });
  }

  start();
})();
