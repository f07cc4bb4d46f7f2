// The page of all modes: sorted by what is alike, by pitch or by length; all can be played in turn.
"use strict";

{
  const list = document.getElementById("tiles");
  const tiles = [...list.children];
  const find = document.getElementById("find");
  const sort = document.getElementById("sort");
  const only = document.getElementById("only");
  const size = document.getElementById("size");
  const all = document.getElementById("all");
  const said = document.getElementById("said");
  const none = document.getElementById("none");
  const collator = new Intl.Collator("en", { numeric: true });

  const SORTED = {
    alike: "Neighbours sound alike, whatever their species.",
    pitch: "Low sounds first.",
    length: "Short sounds first.",
    recordings: "Those with most recordings first.",
    species: "By species.",
  };

  const plain = (text) =>
    text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLocaleLowerCase("en");
  const words = new Map(tiles.map((tile) => [tile, plain(tile.dataset.words)]));
  const byName = (a, b) => collator.compare(a.dataset.words, b.dataset.words);

  function compare(a, b) {
    const key = sort.value;
    if (key === "species") {
      return byName(a, b);
    }
    const sign = key === "recordings" ? -1 : 1;
    return sign * (a.dataset[key] - b.dataset[key]) || byName(a, b);
  }

  function show() {
    tiles.sort(compare);
    list.append(...tiles);
    const wanted = plain(find.value).split(/\s+/).filter(Boolean);
    const least = Number(only.value);
    let shown = 0;
    for (const tile of tiles) {
      const isWanted = wanted.every((word) => words.get(tile).includes(word));
      tile.hidden = !(isWanted && Number(tile.dataset.sure) >= least);
      shown += tile.hidden ? 0 : 1;
    }
    const isPart = wanted.length > 0 || least > 1;
    said.textContent = isPart ? `${shown} of ${tiles.length} modes` : "";
    none.hidden = shown > 0;
    document.getElementById("sorted").textContent = SORTED[sort.value];
  }

  function resize() {
    list.style.setProperty("--tile", `${size.value}rem`);
    list.style.setProperty("--tile-height", `${0.46 * Number(size.value)}rem`);
  }

  // --- one after the other, from the one that has the focus ---

  function showAll(isOn) {
    all.setAttribute("aria-pressed", String(isOn));
    all.textContent = isOn ? "Stop" : "Play all in turn";
  }

  function playAll() {
    if (all.getAttribute("aria-pressed") === "true") {
      birdmodes.pictures.onEnd = null;
      birdmodes.pictures.stop();
      showAll(false);
      return;
    }
    const buttons = tiles.filter((tile) => !tile.hidden).map((tile) => tile.querySelector("button.spec"));
    const queue = buttons.filter(Boolean);
    let place = Math.max(0, queue.indexOf(document.activeElement));
    const next = () => {
      const button = queue[place];
      place += 1;
      if (!button) {
        birdmodes.pictures.onEnd = null;
        showAll(false);
        return;
      }
      button.scrollIntoView({ block: "nearest" });
      birdmodes.pictures.play(button);
      birdmodes.pictures.onEnd = next;
    };
    showAll(true);
    next();
  }

  [find, sort, only].forEach((one) => one.addEventListener("input", show));
  size.addEventListener("input", resize);
  all.addEventListener("click", playAll);
  // Whatever else is pressed ends the tour: pictures.js has heard of it by now.
  for (const kind of ["click", "keydown"]) {
    document.addEventListener(kind, () => showAll(birdmodes.pictures.onEnd !== null));
  }
  document.getElementById("clear").addEventListener("click", () => {
    find.value = "";
    only.value = "1";
    show();
    find.focus();
  });
  show();
  resize();
}
