// Finds, sorts and chooses the species and modes of the first page. Without it all are there, those with
// most recordings first.
"use strict";

{
  const KEPT = "birdmodes-species";
  const rows = [...document.querySelectorAll(".species-row")];
  const list = document.getElementById("rows");
  const find = document.getElementById("find");
  const sort = document.getElementById("sort");
  const only = document.getElementById("only");
  const said = document.getElementById("said");
  const none = document.getElementById("none");
  const letters = document.getElementById("letters"); // where there are many species
  const controls = { find, sort, only };

  // Lower case, and without accents, which people leave out when they type.
  const plain = (text) =>
    text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLocaleLowerCase("en");

  function setUp() {
    const collator = new Intl.Collator("en", { numeric: true });
    const tiles = new Map(rows.map((row) => [row, [...row.querySelectorAll(".tile")]]));
    const words = new Map();
    for (const row of rows) {
      words.set(row, plain(row.dataset.name));
      tiles.get(row).forEach((tile) => words.set(tile, plain(tile.dataset.words)));
    }
    const byName = (a, b) => collator.compare(a.dataset.name, b.dataset.name);

    function arrange() {
      const key = sort.value;
      const before = [...rows];
      rows.sort((a, b) => (key === "name" ? 0 : b.dataset[key] - a.dataset[key]) || byName(a, b));
      if (rows.some((row, n) => row !== before[n])) {
        list.append(...rows);
      }
      if (letters) {
        letters.hidden = key !== "name";
      }
    }

    // A word may be of the species or of the sound: "tit trill" finds the trills of the tits.
    function choose() {
      const wanted = plain(find.value).split(/\s+/).filter(Boolean);
      const least = Number(only.value);
      let species = 0;
      let modes = 0;
      for (const row of rows) {
        let shown = 0;
        for (const tile of tiles.get(row)) {
          const text = `${words.get(row)} ${words.get(tile)}`;
          tile.hidden = !(Number(tile.dataset.sure) >= least && wanted.every((word) => text.includes(word)));
          shown += tile.hidden ? 0 : 1;
        }
        row.hidden = shown === 0;
        species += row.hidden ? 0 : 1;
        modes += shown;
      }
      const isPart = wanted.length > 0 || least > 1;
      said.textContent = isPart ? `${modes} ${modes === 1 ? "mode" : "modes"} of ${species} species` : "";
      none.hidden = species > 0 || !isPart;
    }

    // Coming back from a species, people want to find the list as they left it.
    function keep() {
      const state = Object.fromEntries(Object.entries(controls).map(([name, one]) => [name, one.value]));
      try {
        sessionStorage.setItem(KEPT, JSON.stringify(state));
      } catch {
        // Some browsers keep nothing for pages from disk.
      }
    }

    function restore() {
      try {
        const state = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
        Object.entries(controls).forEach(([name, one]) => {
          one.value = state[name] ?? one.value;
        });
      } catch {
        // Nothing was kept: the page is as it was written.
      }
    }

    function change() {
      arrange();
      choose();
      keep();
    }

    Object.values(controls).forEach((one) => one.addEventListener("input", change));
    document.getElementById("clear").addEventListener("click", () => {
      find.value = "";
      only.value = "1";
      change();
      find.focus();
    });
    restore();
    arrange();
    choose();
  }

  if (find) {
    setUp();
  }
}
