// The page of a syllable: its clip, what is known of it, and the way to its neighbours.
// The address says which one: syllable.html#<syllable, percent-encoded>.
"use strict";

(() => {
  const { make } = birdmodes.reviewDom;
  const find = (id) => document.getElementById(id);
  const gallery = globalThis.birdmodesData?.gallery;
  const REVIEWS = {
    "": "not reviewed",
    good: "good example",
    noise: "noise",
    "not-species": "not this species",
    moved: "moved",
  };
  const ZOOM = 2;
  const title = document.title;

  let facts = null;
  let current = null;
  let rowsOfClip = [];
  let plot = null;
  let sound = null;
  let listed = null;
  let toPlay = ""; // a syllable to be played once it is shown

  function fail(why) {
    birdmodes.player.stop();
    current = null;
    find("syllable").hidden = true;
    find("none").hidden = false;
    find("none-why").textContent = why;
    const first = find("none-first");
    first.hidden = !facts?.n;
    if (facts?.n) {
      first.href = addressOf(0);
    }
  }

  const addressOf = (row) => `#${encodeURIComponent(birdmodes.syllableId(row))}`;

  function go(row) {
    if (row !== undefined) {
      location.hash = addressOf(row);
    }
  }

  // --- the ways to other syllables ---

  function series() {
    const { clip, recording } = birdmodesData.syllables;
    const of = { clip, recording, mode: facts.cluster }[find("series").value];
    const rows = [];
    for (let row = 0; row < facts.n; row++) {
      if (of[row] === of[current.row] && !facts.isGone(row)) {
        rows.push(row);
      }
    }
    return rows;
  }

  function step(by) {
    const rows = series();
    go(rows[rows.indexOf(current.row) + by]);
  }

  function stepClip(by) {
    go(rowsOfClip[current.clip + by]?.[0]);
  }

  function showSteps() {
    const rows = series();
    const at = rows.indexOf(current.row);
    find("place").textContent = `${(at + 1).toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    find("previous").disabled = at === 0;
    find("next").disabled = at === rows.length - 1;
    find("previous-clip").disabled = current.clip === 0;
    find("next-clip").disabled = current.clip === gallery.clips.length - 1;
  }

  // --- what is known ---

  function position(seconds) {
    const minutes = Math.floor(seconds / 60);
    const rest = (seconds - 60 * minutes).toFixed(1).padStart(4, "0");
    return minutes ? ` (${minutes}:${rest})` : "";
  }

  // A long file name wraps behind its separators.
  const breakable = (name) => name.split(/(?<=[/_])/).flatMap((part, n) => (n ? [make("wbr"), part] : [part]));

  function showFacts() {
    const { start_s, end_s, low_hz, high_hz, confidence, recording, name, page, review } = current;
    const about = gallery.clips[current.clip];
    const group = facts.groupOf(current.row);
    const kilohertz = (hz) => (hz / 1000).toFixed(2);
    const round = (seconds) => Number(seconds.toFixed(2));
    const rows = [
      ["Mode", page ? make("a", { href: page }, name) : facts.hasModes ? name : "none yet"],
      ["Recording", breakable(recording)],
      group && ["Group", make("a", { href: birdmodes.url(group.page) }, group.name)],
      ["Second", `${start_s.toFixed(3)} to ${end_s.toFixed(3)}${position(start_s)}`],
      ["Clip", `second ${round(about.start_s)} to ${round(about.end_s)}`],
      ["Duration", `${Math.round(1000 * (end_s - start_s)).toLocaleString("en")} ms`],
      ["Band", `${kilohertz(low_hz)} to ${kilohertz(high_hz)} kHz`],
      ["Confidence", confidence === null ? "none: no species" : confidence.toFixed(2)],
      ["Review", REVIEWS[review] ?? review],
    ];
    find("facts").replaceChildren(
      ...rows.filter(Boolean).map(([term, text]) => make("div", {}, make("dt", {}, term), make("dd", {}, ...[text].flat()))),
    );
    find("name").textContent = name;
    const mode = gallery.modes.find((one) => one.cluster === current.cluster);
    find("words").textContent = mode ? [mode.title, mode.words].filter(Boolean).join(", ") : "";
    find("why").hidden = !mode?.sure;
    if (mode?.sure) {
      find("how").replaceChildren(birdmodes.spectrogram.howSure(mode.sure));
      find("reasons").replaceChildren(...mode.reasons.map((reason) => make("li", {}, reason)));
    }
    find("where").textContent = `${recording} at ${start_s.toFixed(2)}\u00a0s`;
    find("on-map").href = `${birdmodes.root}map.html${addressOf(current.row)}`;
    find("syllable").dataset.syllable = current.id;
    document.title = `${name}, ${start_s.toFixed(2)} s · ${title}`;
  }

  async function copy() {
    const text = `${current.recording} ${current.start_s.toFixed(3)} s`;
    let isDone = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Not allowed here, as on pages from an address without encryption: the old way.
      const area = make("textarea", { class: "hidden" });
      area.value = text;
      document.body.append(area);
      area.select();
      isDone = document.execCommand("copy");
      area.remove();
      find("copy").focus();
    }
    find("copied").textContent = isDone ? `Copied: ${text}` : `Copy it by hand: ${text}`;
  }

  // --- the clip ---

  function readClips() {
    rowsOfClip = gallery.clips.map(() => []);
    birdmodesData.syllables.clip.forEach((clip, row) => {
      if (!facts.isGone(row)) {
        rowsOfClip[clip].push(row);
      }
    });
  }

  async function showClip() {
    const shown = current;
    const about = gallery.clips[shown.clip];
    const items = rowsOfClip[shown.clip].map((row) => facts.of(row));
    if (facts.hasModes) {
      listed.show(shown, items);
      [shown, ...items].forEach((item) => {
        item.tag = listed.tagOf(item);
        item.colour = listed.colourOf(item);
      });
    }
    const content = { about, items, current: shown, nyquist_hz: gallery.nyquist_hz };
    let clip = null;
    let why = "";
    try {
      clip = about.media ? await birdmodes.loadClip(about.name) : null;
    } catch (error) {
      why = `${error.message}. The boxes show where the syllables are.`;
    }
    if (current !== shown) {
      return; // another one was chosen meanwhile
    }
    if (!about.media) {
      why =
        "Picture and sound of this clip are not in the gallery: they were left out to keep it small, or the recording could not be read. The boxes show where the syllables are.";
    } else if (clip && !clip.picture) {
      why = "There is no picture of this clip; the boxes show where the syllables are.";
    }
    find("problem").textContent = why;
    for (const id of ["play", "play-clip"]) {
      find(id).disabled = !clip?.sound;
    }
    sound.set({ clip: clip?.sound ? clip : null, current: shown, why: why || "There is no sound for this clip." });
    const picture = await windowedPicture(clip);
    if (current === shown) {
      plot.show({ ...content, clip, picture });
      showZoom();
      birdmodes.syllableBoxes?.shown({ items, current: shown, about });
      if (toPlay === shown.id) {
        sound.play("syllable");
        toPlay = "";
      }
    }
  }

  // With the window that is chosen; null for the one of the gallery's own picture.
  async function windowedPicture(clip) {
    const window_ms = Number(find("window").value);
    if (!window_ms || !clip?.sound || !clip.picture) {
      return null;
    }
    return birdmodes.windowed(clip, window_ms).catch(() => {
      find("problem").textContent = "This clip's sound cannot be decoded, so the window stays as it is.";
      return null;
    });
  }

  function showZoom() {
    find("wider").disabled = !plot.canZoom(ZOOM);
    find("narrower").disabled = !plot.canZoom(1 / ZOOM);
  }

  function zoom(factor) {
    plot.zoom(factor);
    showZoom();
  }

  function showPlaying() {
    find("play").textContent = sound.playing === "syllable" ? "Stop" : "Play syllable";
    find("play-clip").textContent = sound.playing === "clip" ? "Stop" : "Play clip";
  }

  function showTime(time_s) {
    plot.setTime(time_s);
    find("time").textContent = time_s === null ? "" : `${time_s.toFixed(1)} s`;
  }

  // --- the page ---

  async function show() {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      id = location.hash.slice(1);
    }
    const row = id ? birdmodes.rowOf(id) : -1;
    if (row < 0 || facts.isGone(row)) {
      fail(
        id
          ? `There is no syllable “${id}” in this clustering. It may be from another one, thrown away, or from recordings that were segmented again.`
          : "The address of this page says which syllable to show, and it names none.",
      );
      return;
    }
    current = facts.of(row);
    find("none").hidden = true;
    find("syllable").hidden = false;
    find("copied").textContent = "";
    showFacts();
    showSteps();
    const detail = { syllables: [current.id] };
    document.dispatchEvent(new CustomEvent("birdmodes:selection", { detail }));
    await showClip();
  }

  function onKey(event) {
    const { target, key } = event;
    const isControl = target.closest?.("input, select, textarea, dialog");
    const isButton = target.closest?.("button, summary");
    if (!current || isControl || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by && event.shiftKey) {
      stepClip(by);
    } else if (by) {
      step(by);
    } else if (/^[1-9]$/.test(key) && facts.hasModes) {
      listed.choose(Number(key));
    } else if (key === " " && !isButton) {
      sound.toggle(event.shiftKey ? "clip" : "syllable");
    } else {
      return;
    }
    event.preventDefault();
  }

  function controls() {
    const clicks = {
      previous: () => step(-1),
      next: () => step(1),
      "previous-clip": () => stepClip(-1),
      "next-clip": () => stepClip(1),
      play: () => sound.toggle("syllable"),
      "play-clip": () => sound.toggle("clip"),
      narrower: () => zoom(1 / ZOOM),
      wider: () => zoom(ZOOM),
      copy,
    };
    for (const [id, click] of Object.entries(clicks)) {
      find(id).addEventListener("click", click);
    }
    find("series").addEventListener("change", showSteps);
    find("window").addEventListener("change", showClip);
    find("outlines").addEventListener("change", (event) => {
      find("plot").classList.toggle("bare", !event.target.checked);
    });
    document.addEventListener("keydown", onKey);
    addEventListener("hashchange", show);
    addEventListener("resize", showZoom);
    document.addEventListener("birdmodes:reviewed", () => {
      facts.read();
      readClips();
      if (!current) {
        show();
      } else if (facts.isGone(current.row)) {
        const after = rowsOfClip[current.clip].find((row) => facts.of(row).start_s >= current.start_s);
        const id = decodeURIComponent(location.hash.slice(1));
        const isLeft = id === current.id;
        isLeft ? go(after ?? rowsOfClip[current.clip][0]) : show();
      } else {
        current = facts.of(current.row);
        showFacts();
        showSteps();
        showClip();
      }
    });
  }

  async function start() {
    if (!gallery) {
      fail("data/gallery.js is missing or damaged: copy the whole gallery folder.");
      return;
    }
    try {
      await birdmodes.loadSyllables();
      await birdmodes.review?.ready;
    } catch (error) {
      fail(`${error.message}.`);
      return;
    }
    facts = new birdmodes.SyllableFacts(gallery, birdmodesData.syllables, { withDrawn: true });
    listed = new birdmodes.ListedSpecies(gallery, facts);
    readClips();
    sound = new birdmodes.SyllableSound({
      change: showPlaying,
      time: showTime,
      problem: (text) => {
        find("problem").textContent = text;
      },
    });
    plot = new birdmodes.SyllablePlot(
      { svg: find("plot"), hz: find("hz"), scroll: find("scroll") },
      { play: (time_s) => sound.playFrom(time_s), again: () => sound.toggle("syllable") },
    );
    controls();
    const playNext = (id) => {
      toPlay = id;
    };
    birdmodes.syllableBoxes?.start({ plot, playNext, go: (id) => void (location.hash = `#${encodeURIComponent(id)}`) });
    await show();
  }

  start();
})();
