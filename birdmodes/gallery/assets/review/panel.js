// The panel of the review: the switch that opens it, what is selected, the edits, the file.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));
  const { make, button, thumbs } = birdmodes.reviewDom;
  const { count, canUndo } = birdmodes.edits;

  const MOST_LISTED = 200;
  const MOST_THUMBS = 12;

  const COMMANDS = [
    ["good", "Good example", "G"],
    ["noise", "Noise", "N"],
    ["not-species", "Not this species", "X"],
    ["none", "Unmark", "U"],
    ["move", "Move to mode…", "M"],
    ["new-mode", "New mode…", "C"],
  ];

  const HELP = [
    ["Click, Space", "select a syllable; with Shift all up to it"],
    ["Double click, Enter", "play it, as does its ▶"],
    ["G N X U", "good example, noise, not this species, unmark"],
    ["M C", "move to a mode, make a new mode"],
    ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
    ["Esc", "select nothing"],
  ];

  let review = null;
  let parts = null;

  function section(title, ...children) {
    return make("section", {}, make("h3", {}, title), ...children);
  }

  function buildSwitch() {
    const input = make("input", {
      type: "checkbox",
      role: "switch",
      id: "review-switch",
      "aria-controls": "review-panel",
      autocomplete: "off",
      change: () => review.setOpen(input.checked),
    });
    const badge = make("span", { class: "review-count", hidden: true });
    const label = make("label", { class: "switch review-switch" }, input, make("span", {}, "Review"), badge);
    return { label, input, badge };
  }

  function buildFile() {
    const input = make("input", {
      type: "file",
      accept: ".json,application/json",
      class: "hidden",
      tabindex: "-1",
      "aria-hidden": "true",
      change: () => {
        [...input.files].slice(0, 1).forEach((file) => review.load(file));
        input.value = "";
      },
    });
    const download = button("Download review.json", () => review.download());
    const load = button("Load a file…", () => input.click());
    const clear = button("Remove all edits…", async () => {
      const text = "The list of edits becomes empty. Undo brings it back.";
      if (await birdmodes.reviewDialogs.sure("Remove all edits?", text, "Remove all")) {
        review.removeAll();
      }
    });
    return { row: make("p", { class: "buttons" }, download, load, clear, input), download, clear };
  }

  function build() {
    const status = make("p", { class: "review-status" });
    const conflict = make(
      "div",
      { class: "review-conflict", role: "alert", hidden: true },
      make("p", {}, "The review was changed in another tab or window since this page read it."),
      make(
        "p",
        { class: "buttons" },
        button("Use the other one", () => review.store.takeTheirs()),
        button("Save mine over it", () => review.store.keepMine()),
      ),
    );
    const retry = button("Try again", () => review.store.refresh());
    const said = make("p", { class: "review-said", role: "status" });
    const selected = make("p", { class: "review-selected-words" });
    const pictures = make("div", {});
    const commands = COMMANDS.map(([command, text, key]) => {
      const hint = make("kbd", { "aria-hidden": "true" }, key);
      const one = button(text, () => review.run(command), { "aria-keyshortcuts": key });
      one.append(" ", hint);
      return one;
    });
    const nothing = button("Select nothing", () => review.select([]));
    const selectedSection = section(
      "Selected",
      selected,
      pictures,
      make("p", { class: "buttons" }, ...commands, nothing),
    );
    const undo = button("Undo", () => review.undo(), { "aria-keyshortcuts": "Control+Z" });
    const redo = button("Redo", () => review.redo(), { "aria-keyshortcuts": "Control+Shift+Z" });
    const list = make("ol", { class: "review-edits", reversed: true });
    const created = make("ul", { class: "review-new" });
    const createdSection = section("New modes", created);
    const who = make("input", {
      type: "text",
      maxlength: "100",
      autocomplete: "name",
      value: review.who,
      change: () => review.setWho(who.value.trim()),
    });
    const file = buildFile();
    const next = make("p", { class: "note" });
    const help = make(
      "details",
      {},
      make("summary", {}, "Keys"),
      make("dl", {}, ...HELP.flatMap(([keys, text]) => [make("dt", {}, keys), make("dd", {}, text)])),
    );
    const panel = make(
      "aside",
      { id: "review-panel", class: "review-panel", "aria-labelledby": "review-title", hidden: true },
      make(
        "header",
        {},
        make("h2", { id: "review-title" }, "Review"),
        button("Close", () => close(), { class: "button quiet" }),
      ),
      status,
      retry,
      conflict,
      selectedSection,
      said,
      section("Edits", make("p", { class: "buttons" }, undo, redo), list),
      createdSection,
      section(
        "Keep",
        make("label", { class: "field" }, make("span", {}, "Your name, kept with the edits"), who),
        file.row,
        next,
      ),
      help,
    );
    return {
      panel, status, retry, conflict, said, selectedSection, selected, pictures, commands, nothing,
      undo, redo, list, created, createdSection, who, file, next, ...buildSwitch(),
    };
  }

  function close() {
    review.setOpen(false);
    parts.input.focus();
  }

  // Dropping a file on the panel loads it.
  function acceptDrops(panel) {
    panel.addEventListener("dragover", (event) => {
      event.preventDefault();
      panel.classList.add("review-drop");
    });
    panel.addEventListener("dragleave", () => panel.classList.remove("review-drop"));
    panel.addEventListener("drop", (event) => {
      event.preventDefault();
      panel.classList.remove("review-drop");
      [...event.dataTransfer.files].slice(0, 1).forEach((file) => review.load(file));
    });
  }

  function showSelection() {
    const size = review.selection.size;
    parts.selectedSection.hidden = review.hasOwnKeys;
    parts.selected.textContent = size
      ? `${count(size, "syllable")} selected`
      : "Nothing. Click syllables, or use the map's lasso.";
    const rows = birdmodesData.syllables ? review.selectedRows() : [];
    parts.pictures.replaceChildren(...(rows.length ? [thumbs(rows, MOST_THUMBS)] : []));
    [...parts.commands, parts.nothing].forEach((one) => {
      one.disabled = size === 0;
    });
  }

  function showEdits() {
    const { history, outcome } = review;
    const hadFocus = parts.list.contains(document.activeElement);
    const edits = history.present.slice(-MOST_LISTED).reverse();
    const items = edits.map((edit) => {
      const words = outcome.words.get(edit.id);
      const misfit = outcome.problems.has(edit.id);
      const remove = button("Remove", () => review.remove(edit.id), {
        "aria-label": `Remove: ${words}`,
        class: "button quiet",
      });
      return make("li", { class: misfit ? "review-misfit" : null }, make("span", {}, words), remove);
    });
    const left = history.present.length - edits.length;
    if (left) {
      items.push(make("li", {}, `and ${count(left, "earlier edit")}`));
    }
    parts.list.start = history.present.length;
    parts.list.replaceChildren(...items);
    parts.undo.disabled = !canUndo(history);
    parts.redo.disabled = !history.future.length;
    parts.file.clear.disabled = !history.present.length;
    if (hadFocus) {
      (parts.undo.disabled ? parts.redo : parts.undo).focus();
    }
  }

  function newModeItem(cluster) {
    const actions = { rename: "Rename…", merge: "Merge…", split: "Split…", species: "Species…" };
    return make(
      "li",
      {},
      make("strong", {}, cluster.name),
      make("span", { class: "note" }, ` ${count(cluster.rows.length, "syllable")}`),
      thumbs(cluster.rows, 6),
      make(
        "span",
        { class: "buttons" },
        ...Object.entries(actions).map(([action, text]) =>
          button(text, () => review.editMode(action, cluster.cluster), {
            "aria-label": `${text.slice(0, -1)} ${cluster.name}`,
          }),
        ),
      ),
    );
  }

  function showNewModes() {
    const created = birdmodesData.syllables
      ? review.clusters().filter((cluster) => cluster.base === null)
      : [];
    parts.createdSection.hidden = !created.length;
    parts.created.replaceChildren(...created.map(newModeItem));
  }

  function showKeeping() {
    const { state, text } = review.status;
    parts.status.textContent = text;
    parts.status.dataset.state = state;
    parts.retry.hidden = state !== "unsaved";
    parts.conflict.hidden = state !== "conflict";
    parts.next.textContent = review.store.isWorkspace
      ? `When done, end 'birdmodes review' with Ctrl+C and run: birdmodes review apply --clustering ${review.gallery.clustering}`
      : "To use the edits, download them and run: birdmodes review apply review.json";
    if (document.activeElement !== parts.who) {
      parts.who.value = review.who;
    }
  }

  function show() {
    const edits = review.history.present.length;
    parts.panel.hidden = !review.isOpen;
    parts.input.checked = review.isOpen;
    parts.badge.hidden = !edits;
    parts.badge.textContent = count(edits, "edit");
    if (!review.isOpen) {
      return;
    }
    showSelection();
    showEdits();
    showNewModes();
    showKeeping();
    if (parts.said.textContent !== review.said) {
      parts.said.textContent = review.said;
    }
  }

  function start(started) {
    review = started;
    parts = build();
    const header = document.querySelector("header.site");
    header.append(parts.label);
    header.after(parts.panel);
    acceptDrops(parts.panel);
  }

  birdmodes.reviewPanel = { start, show };
})();
