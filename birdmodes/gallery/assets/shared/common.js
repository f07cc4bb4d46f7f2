// What every page needs: the theme switch, and the gallery's data. Data come as scripts, because a
// page that was opened from disk may not read other files.
//
// birdmodes.root                  address of the gallery's folder from this page
// birdmodes.url(address)          an address from that folder as a URL of this page
// birdmodes.loadScript(address)   promise; rejected with an Error to be shown if there is no such file
// birdmodes.loadClip(name)        promise of clips/<name>.js; the last ones are kept in memory
// birdmodes.loadSyllables()       promise of the columns of data/syllables.js
// birdmodes.syllableId(row)       "<recording>#00012"; needs the syllables
// birdmodes.rowOf(id)             its row, or -1; needs the syllables
// birdmodes.colour(name)          a colour of gallery.css ("--accent") as a canvas takes it
// birdmodes.calm                  true for people who want no motion
//
// Fires "birdmodes:theme" at the document when the colours have changed.
"use strict";

globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});
globalThis.birdmodesData ??= /** @type {BirdmodesData} */ ({});

{
  const THEMES = ["light", "dark"];
  const KEPT_CLIPS = 32;
  const page = document.documentElement;
  const scripts = new Map();
  const clips = new Map();
  let syllables = null;
  let recordingNumbers = null;
  let rows = null;
  let nKnown = 0;

  birdmodes.root = page.dataset.root ?? "";

  birdmodes.url = (address) =>
    birdmodes.root + address.split("/").map(encodeURIComponent).join("/");

  function runScript(address) {
    return new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = birdmodes.url(address);
      script.onload = () => {
        script.remove();
        done();
      };
      script.onerror = () => {
        script.remove();
        failed(new Error(`${address} is missing or damaged: copy the whole gallery folder`));
      };
      document.head.append(script);
    });
  }

  // A promise by key; one that fails is forgotten, so that it can be tried again.
  function once(promises, key, start) {
    if (!promises.has(key)) {
      const promise = start();
      promises.set(key, promise);
      promise.catch(() => promises.delete(key));
    }
    return promises.get(key);
  }

  birdmodes.loadScript = (address) => once(scripts, address, () => runScript(address));

  birdmodes.loadClip = (name) => {
    const promise = once(clips, name, async () => {
      await runScript(`clips/${name}.js`);
      const clip = birdmodesData.clips[name];
      delete birdmodesData.clips[name];
      return clip;
    });
    // The order of the map is that of last use.
    clips.delete(name);
    clips.set(name, promise);
    if (clips.size > KEPT_CLIPS) {
      clips.delete(clips.keys().next().value);
    }
    return promise;
  };

  birdmodes.loadSyllables = async () => {
    await birdmodes.loadScript("data/syllables.js");
    if (syllables !== birdmodesData.syllables) {
      syllables = birdmodesData.syllables;
      nKnown = syllables.number.length;
    }
    return syllables;
  };

  birdmodes.syllableId = (row) => {
    const recording = birdmodesData.gallery.recordings[syllables.recording[row]];
    return `${recording}#${String(syllables.number[row]).padStart(5, "0")}`;
  };

  const placeOf = (recording, number) => recording * 2 ** 31 + number;

  birdmodes.rowOf = (id) => {
    if (!rows) {
      recordingNumbers = new Map(birdmodesData.gallery.recordings.map((name, n) => [name, n]));
      rows = new Map(syllables.number.map((n, row) => [placeOf(syllables.recording[row], n), row]));
    }
    const end = id.lastIndexOf("#");
    const recording = recordingNumbers.get(id.slice(0, end));
    return rows.get(placeOf(recording, Number(id.slice(end + 1)))) ?? -1;
  };

  // How many syllables the gallery has; those that a person drew come after them.
  birdmodes.nKnown = () => nKnown;

  // Gives a syllable that a person drew a row like the others.
  birdmodes.addRow = (columns) => {
    for (const [name, value] of Object.entries(columns)) {
      syllables[name].push(value);
    }
    Object.values(syllables.sub).forEach((groups) => groups.push(0));
    rows = null;
    return syllables.number.length - 1;
  };

  birdmodes.colour = (name) => {
    const probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
    probe.style.color = `var(${name})`;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };

  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  Object.defineProperty(birdmodes, "calm", { get: () => reducedMotion.matches });

  // On narrow screens the navigation is pushed sideways, to where one is, once all beside it is there.
  addEventListener("load", () => {
    const here = document.querySelector("header.site nav [aria-current]");
    const ways = here?.closest("nav");
    if (ways) {
      ways.addEventListener("scroll", () => ways.classList.toggle("pushed", ways.scrollLeft > 0));
      const [whole, part] = [ways.getBoundingClientRect(), here.getBoundingClientRect()];
      ways.scrollLeft += part.left - whole.left - (whole.width - part.width) / 2;
    }
  });

  // The theme switch. What is chosen holds for all pages; browsers that keep nothing for pages from
  // disk forget it with the page.
  const announce = () => document.dispatchEvent(new CustomEvent("birdmodes:theme"));
  const choice = document.getElementById("theme");

  function showTheme(theme) {
    if (THEMES.includes(theme)) {
      page.dataset.theme = theme;
    } else {
      delete page.dataset.theme;
    }
    choice.querySelector(`[value="${page.dataset.theme ?? "system"}"]`).checked = true;
  }

  showTheme(page.dataset.theme);
  choice.hidden = false;

  choice.addEventListener("change", (event) => {
    showTheme(event.target.value);
    try {
      localStorage.setItem("birdmodes-theme", event.target.value);
    } catch {
      // Not kept, but shown.
    }
    announce();
  });

  addEventListener("storage", (event) => {
    if (event.key === "birdmodes-theme") {
      showTheme(event.newValue);
      announce();
    }
  });

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);
}
