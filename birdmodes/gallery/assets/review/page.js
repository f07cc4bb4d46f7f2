// Shows the review on the page that is open: marks on syllables and modes, and selecting.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));
  const { make, button } = birdmodes.reviewDom;
  const { count, resolve } = birdmodes.edits;

  // Clicks on syllables of a mode select; elsewhere the page has its own selection.
  const SELECTABLE = "[data-cluster] [data-syllable]";
  // Parts of a syllable that keep what they do.
  const LEFT_ALONE = ".sign, a, input, label, .part, .review-tools";
  const ACTIONS = { rename: "Rename…", merge: "Merge…", split: "Split…", species: "Species…" };

  let review = null;
  let anchor = null; // where a range of selected syllables begins
  const headings = new Map(); // heading -> its own content

  // --- syllables ---

  function badgeText(now, home) {
    if (now.review === "noise") {
      return "noise";
    }
    if (now.review === "not-species") {
      return now.notSpecies ? `not ${now.notSpecies}` : "not this species";
    }
    if (home !== null && now.cluster !== null && now.cluster !== home) {
      return `→ ${review.nameOf(now.cluster)}`;
    }
    return now.review === "good" ? "good example" : "";
  }

  function setAttribute(element, name, value) {
    if (value) {
      element.setAttribute(name, value);
    } else {
      element.removeAttribute(name);
    }
  }

  function showBadge(element, text) {
    if (!(element instanceof HTMLElement)) {
      return; // an outline in a picture: its colour says it
    }
    let badge = element.querySelector(":scope > .review-badge");
    if (text && !badge) {
      badge = make("span", { class: "review-badge" });
      element.append(badge);
    } else if (!text && badge) {
      badge.remove();
    }
    if (text && badge.textContent !== text) {
      badge.textContent = text;
    }
  }

  function showSyllable(element) {
    if (element.querySelector("h1")) {
      return; // the page is about this syllable, and says itself how it is marked
    }
    const id = element.dataset.syllable;
    const section = element.closest("[data-cluster]");
    const home = section ? resolve(review.outcome.state, Number(section.dataset.cluster)) : null;
    const now = review.stateOf(id);
    const text = badgeText(now, home);
    const isSelected = review.isOpen && review.selection.has(id);
    const isMoved = text.startsWith("→");
    setAttribute(element, "data-review", isMoved ? "moved" : text && now.review);
    element.classList.toggle("review-selected", isSelected);
    showBadge(element, text);
    const target = focusTarget(element);
    setAttribute(target, "aria-description", [isSelected && "selected", text].filter(Boolean).join(", "));
  }

  function focusTarget(element) {
    const offered = [...element.querySelectorAll("button, [tabindex]")];
    return offered.find((one) => one.checkVisibility()) ?? offered[0] ?? element;
  }

  // --- modes ---

  function noteOf(cluster) {
    const { state } = review.outcome;
    const now = resolve(state, cluster);
    if (now !== cluster) {
      return `merged into “${review.nameOf(now)}”`;
    }
    const base = state.clusters.get(cluster)?.base;
    if (!base || !birdmodesData.syllables) {
      return "";
    }
    const left = review.clusterOf(cluster).rows.length;
    const before = review.sizeBefore(cluster);
    return left === before ? "" : `${count(left, "syllable")} after the edits, ${before} before`;
  }

  // Pages name a species once and its modes without it; screen readers hear the whole name.
  function headingOf(cluster, base) {
    if (!cluster.short || cluster.species !== base.species) {
      return [review.nameOf(cluster.cluster)];
    }
    const short = cluster.short[0].toLocaleUpperCase() + cluster.short.slice(1);
    const letter = base.letter ? make("span", { class: "key" }, base.letter) : "";
    return [make("span", { class: "hidden" }, `${cluster.species} `), letter, " ", short];
  }

  function showHeading(section, cluster) {
    const heading = section.querySelector("h2, h3");
    if (!heading) {
      return;
    }
    const base = review.gallery.modes.find((mode) => mode.cluster === cluster);
    const own = review.outcome.state.clusters.get(cluster);
    const name = own ? review.nameOf(cluster) : base?.name;
    const isChanged = base && name !== base.name;
    if (isChanged && !headings.has(heading)) {
      headings.set(heading, [...heading.childNodes]);
    }
    if (isChanged && section.dataset.reviewName !== name) {
      section.dataset.reviewName = name;
      heading.replaceChildren(...headingOf(own, base));
    } else if (!isChanged && headings.has(heading)) {
      heading.replaceChildren(...headings.get(heading));
      headings.delete(heading);
      delete section.dataset.reviewName;
    }
    section.classList.toggle("review-renamed", Boolean(isChanged));
  }

  function tools(section, cluster) {
    const existing = section.querySelector(".review-tools");
    if (existing) {
      return existing;
    }
    const name = () => review.nameOf(cluster);
    const buttons = Object.entries(ACTIONS).map(([action, text]) =>
      button(text, () => review.editMode(action, cluster), {
        "data-action": action,
        "aria-label": `${text.slice(0, -1)} ${name()}`,
      }),
    );
    const shown = button("Select those shown", () => selectShown(section));
    const all = button("Select all", () => selectAll(cluster));
    const row = make(
      "div",
      { class: "review-tools", role: "group", "aria-label": `Review of ${name()}` },
      make("p", { class: "review-note" }),
      ...buttons,
      shown,
      all,
    );
    const heading = section.querySelector("h2, h3");
    const header = heading.closest("header");
    if (header && section.contains(header)) {
      header.append(row);
    } else {
      heading.after(row);
    }
    return row;
  }

  function selectShown(section) {
    const shown = [...section.querySelectorAll("[data-syllable]")].filter((one) => one.checkVisibility());
    const ids = shown.map((one) => one.dataset.syllable);
    review.select([...review.selection, ...ids]);
  }

  function selectAll(cluster) {
    const ids = review.clusterOf(cluster).rows.map(birdmodes.syllableId);
    review.select([...review.selection, ...ids]);
  }

  function showMode(section) {
    const cluster = Number(section.dataset.cluster);
    if (!section.querySelector("h2, h3") || section.querySelector("[data-cluster]")) {
      return;
    }
    showHeading(section, cluster);
    const isGone = resolve(review.outcome.state, cluster) !== cluster;
    section.classList.toggle("review-gone", isGone);
    const row = tools(section, cluster);
    const text = noteOf(cluster);
    const note = row.querySelector(".review-note");
    if (note.textContent !== text) {
      note.textContent = text;
    }
    row.querySelectorAll("[data-action]").forEach((one) => {
      const action = one.dataset.action;
      // Background has no species: it gets a name with one.
      const needsSpecies = action === "rename" && !review.clusterSpecies(cluster);
      one.hidden = !review.isOpen || isGone || needsSpecies;
    });
    const [shown, all] = [...row.children].slice(-2);
    shown.hidden = !review.isOpen || !section.querySelector("[data-syllable]");
    all.hidden = !review.isOpen || isGone || !birdmodesData.syllables;
    if (!all.hidden) {
      all.textContent = `Select all ${review.clusterOf(cluster).rows.length}`;
    }
    row.hidden = !review.isOpen && !text;
  }

  function show() {
    document.body.classList.toggle("reviewing", review.isOpen);
    document.querySelectorAll("main [data-cluster]").forEach(showMode);
    document.querySelectorAll("main [data-syllable]").forEach(showSyllable);
  }

  // --- selecting ---

  function selectRange(section, from, to) {
    const ids = [...section.querySelectorAll("[data-syllable]")].map((one) => one.dataset.syllable);
    const [first, last] = [ids.indexOf(from), ids.indexOf(to)].sort((a, b) => a - b);
    review.select([...review.selection, ...ids.slice(Math.max(first, 0), last + 1)]);
  }

  function onClick(event) {
    const element = event.target.closest(SELECTABLE);
    // A click without a mouse is Enter: it plays.
    if (!review.isOpen || !element || event.detail === 0 || event.target.closest(LEFT_ALONE)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const id = element.dataset.syllable;
    if (event.shiftKey && anchor) {
      selectRange(element.closest("[data-cluster]"), anchor, id);
    } else {
      review.toggle(id);
    }
    anchor = id;
  }

  function onDoubleClick(event) {
    const element = event.target.closest(SELECTABLE);
    if (review.isOpen && element && !event.target.closest(LEFT_ALONE)) {
      focusTarget(element).click();
    }
  }

  function onSpace(event) {
    const element = event.target.closest?.(SELECTABLE);
    if (!review.isOpen || event.key !== " " || !element || event.target.closest(LEFT_ALONE)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "keydown" && !event.repeat) {
      review.toggle(element.dataset.syllable);
      anchor = element.dataset.syllable;
    }
  }

  // Pages add syllables later, as when more examples are asked for.
  function watch() {
    let isWaiting = false;
    const observer = new MutationObserver((changes) => {
      const isOurs = (node) =>
        node.nodeType === Node.ELEMENT_NODE &&
        (node.matches("[data-syllable], [data-cluster]") ||
          node.querySelector("[data-syllable], [data-cluster]"));
      const matters = changes.some(
        (change) => change.type === "attributes" || [...change.addedNodes].some(isOurs),
      );
      if (matters && !isWaiting) {
        isWaiting = true;
        requestAnimationFrame(() => {
          isWaiting = false;
          show();
        });
      }
    });
    observer.observe(document.querySelector("main"), {
      childList: true,
      subtree: true,
      attributeFilter: ["data-syllable"],
    });
  }

  function start(started) {
    review = started;
    document.addEventListener("click", onClick, true);
    document.addEventListener("dblclick", onDoubleClick);
    document.addEventListener("keydown", onSpace, true);
    document.addEventListener("keyup", onSpace, true);
    watch();
  }

  birdmodes.reviewPage = { start, show };
})();
