// Finds and sorts the cards of species, and copies the commands, as far as the page has them. Without
// it all cards are there, in the order of their names.
"use strict";

{
  const KEPT = "birdmodes-species";
  const ANNOUNCE_AFTER_MS = 300;
  const finder = document.getElementById("finder");

  // Lower case, and without accents, which people leave out when they type.
  const plain = (text) =>
    text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLocaleLowerCase("en");

  function setUpFinder() {
    const list = document.getElementById("cards");
    const cards = [...list.querySelectorAll("[data-name]")];
    const rest = list.querySelector(".quiet");
    const find = document.getElementById("find");
    const sort = document.getElementById("sort");
    const reverse = document.getElementById("reverse");
    const doubtful = document.getElementById("doubtful");
    const count = document.getElementById("count");
    const names = new Map(cards.map((card) => [card, plain(card.dataset.name)]));
    const collator = new Intl.Collator("en", { numeric: true });
    let timer = 0;

    const byName = (a, b) => collator.compare(a.dataset.name, b.dataset.name);

    // Names from A to Z, figures from the largest down.
    function compare(a, b) {
      const key = sort.value;
      const order = key === "name" ? byName(a, b) : b.dataset[key] - a.dataset[key];
      return (reverse.getAttribute("aria-pressed") === "true" ? -order : order) || byName(a, b);
    }

    function arrange() {
      const before = [...cards];
      cards.sort(compare);
      if (cards.some((card, n) => card !== before[n])) {
        list.prepend(...cards);
      }
    }

    function choose() {
      const words = plain(find.value).split(/\s+/).filter(Boolean);
      const onlyDoubtful = Boolean(doubtful?.checked);
      let shown = 0;
      for (const card of cards) {
        const fits = words.every((word) => names.get(card).includes(word));
        card.hidden = !fits || (onlyDoubtful && !("doubtful" in card.dataset));
        shown += card.hidden ? 0 : 1;
      }
      if (rest) {
        rest.hidden = words.length > 0 || onlyDoubtful;
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        count.textContent =
          shown === cards.length
            ? `${shown.toLocaleString("en")} species`
            : `${shown.toLocaleString("en")} of ${cards.length.toLocaleString("en")} species`;
      }, ANNOUNCE_AFTER_MS);
    }

    // Coming back from a species, people want to find the list as they left it.
    function keep() {
      const state = {
        find: find.value,
        sort: sort.value,
        reversed: reverse.getAttribute("aria-pressed"),
        doubtful: Boolean(doubtful?.checked),
      };
      try {
        sessionStorage.setItem(KEPT, JSON.stringify(state));
      } catch {
        // Some browsers keep nothing for pages from disk.
      }
    }

    function restore() {
      try {
        const state = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
        find.value = state.find ?? "";
        sort.value = state.sort ?? "name";
        reverse.setAttribute("aria-pressed", state.reversed ?? "false");
        if (doubtful) {
          doubtful.checked = Boolean(state.doubtful);
        }
      } catch {
        // Nothing was kept: the page is as it was written.
      }
    }

    find.addEventListener("input", () => {
      choose();
      keep();
    });
    doubtful?.addEventListener("change", () => {
      choose();
      keep();
    });
    sort.addEventListener("change", () => {
      arrange();
      keep();
    });
    reverse.addEventListener("click", () => {
      const pressed = reverse.getAttribute("aria-pressed") === "true";
      reverse.setAttribute("aria-pressed", String(!pressed));
      arrange();
      keep();
    });

    restore();
    arrange();
    choose();
    finder.hidden = false;
  }

  function setUpCopying(button) {
    const commands = document.getElementById("commands");
    const copied = document.getElementById("copied");

    async function copy() {
      try {
        await navigator.clipboard.writeText(`${commands.textContent.trim()}\n`);
        copied.textContent = "Copied.";
      } catch {
        // Not every browser lets pages copy: the text is chosen, so that the keyboard can do it.
        getSelection().selectAllChildren(commands);
        copied.textContent = "Selected: copy it with Ctrl+C or ⌘C.";
      }
    }

    button.addEventListener("click", copy);
    button.hidden = false;
  }

  if (finder) {
    setUpFinder();
  }
  const copyButton = document.getElementById("copy");
  if (copyButton) {
    setUpCopying(copyButton);
  }
}
