// The review of a gallery: what is selected, what the edits are, and the commands that make them.
//
// birdmodes.review.stateOf(id)     {cluster, review} of a syllable after the edits
// birdmodes.review.nameOf(cluster) the name of a cluster after the edits
// Fires "birdmodes:reviewed" at the document after each change of the edits. Hears
// "birdmodes:selection" from pages that have a selection of their own.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));
  const { edits: model, reviewDialogs: dialogs } = birdmodes;
  const gallery = globalThis.birdmodesData?.gallery;
  if (!gallery) {
    return; // data/gallery.js is missing: the page can be looked at, but not reviewed
  }

  const OPEN = "birdmodes-review-open";
  const SHORTCUTS = { g: "good", n: "noise", x: "not-species", u: "none", m: "move", c: "new-mode" };

  class Review {
    constructor() {
      this.gallery = gallery;
      this.history = model.history([]);
      this.replayed = null; // what the edits made, of which edits, with or without the syllables
      this.selection = new Set();
      this.status = { state: "saving", text: "" };
      this.said = ""; // what was done last, in words
      this.isOpen = false;
      this.who = birdmodes.reviewName.get();
      this.hasOwnKeys = false; // set by pages that answer the keys themselves
      this.byCluster = null;
      this.store = new birdmodes.ReviewStore(
        gallery,
        (status) => {
          this.status = status;
          this.show();
        },
        (edits, who) => {
          this.who ||= who;
          this.setHistory(model.history(edits), "");
        },
      );
    }

    // --- what is ---

    // What the edits make of the gallery. They are replayed when the syllables are there: without
    // those, some edits cannot tell what they still fit.
    get outcome() {
      const edits = this.history.present;
      const { syllables } = birdmodesData;
      if (this.replayed?.edits !== edits || this.replayed.syllables !== syllables) {
        const made = model.replay(gallery, edits, (id) => this.baseOf(id));
        this.replayed = { edits, syllables, made };
        this.byCluster = null;
      }
      return this.replayed.made;
    }

    // Cluster and mark of a syllable in the gallery, see state.js.
    baseOf(id) {
      const { syllables } = birdmodesData;
      if (!syllables) {
        return null;
      }
      const row = birdmodes.rowOf(id);
      return row < 0 || row >= birdmodes.nKnown() ? undefined : { cluster: syllables.cluster[row], review: syllables.review[row] };
    }

    // Cluster and mark of a syllable; the cluster is null while the syllables are not loaded and
    // no edit names it.
    stateOf(id) {
      const base = this.baseOf(id) ?? { cluster: null, review: "" };
      return model.stateOfSyllable(this.outcome.state, id, base);
    }

    nameOf(cluster) {
      return model.nameOf(this.outcome.state, cluster);
    }

    // All clusters after the edits, with the rows of their syllables; needs the syllables.
    clusters() {
      const { syllables } = birdmodesData;
      const { state } = this.outcome;
      if (!this.byCluster) {
        this.byCluster = new Map();
        const touched = new Map();
        for (const id of state.syllables.keys()) {
          touched.set(birdmodes.rowOf(id), this.stateOf(id));
        }
        syllables.cluster.forEach((number, row) => {
          const own = touched.get(row);
          const isOut = own ? own.gone || ["noise", "not-species"].includes(own.review) : row >= birdmodes.nKnown();
          const cluster = own ? own.cluster : model.resolve(state, number);
          if (!isOut) {
            if (!this.byCluster.has(cluster)) {
              this.byCluster.set(cluster, []);
            }
            this.byCluster.get(cluster).push(row);
          }
        });
      }
      return [...state.clusters.values()].map((cluster) => ({
        cluster: cluster.cluster,
        species: cluster.species,
        short: cluster.short,
        base: cluster.base,
        name: this.nameOf(cluster.cluster),
        rows: this.byCluster.get(cluster.cluster) ?? [],
      }));
    }

    clusterOf(number) {
      const now = model.resolve(this.outcome.state, number);
      return this.clusters().find((cluster) => cluster.cluster === now);
    }

    clusterSpecies(number) {
      return this.outcome.state.clusters.get(number)?.species ?? "";
    }

    // Syllables of a cluster before the edits.
    sizeBefore(number) {
      return gallery.modes.find((mode) => mode.cluster === number)?.syllables ?? 0;
    }

    selectedRows() {
      return [...this.selection].map(birdmodes.rowOf).filter((row) => row >= 0);
    }

    // --- changes ---

    setHistory(history, said) {
      this.history = history;
      this.said = said;
      this.show();
      document.dispatchEvent(new CustomEvent("birdmodes:reviewed"));
    }

    change(history, said) {
      this.setHistory(history, said);
      return this.store.save(this.asReview());
    }

    asReview() {
      return model.makeReview(gallery, this.who, this.history.present);
    }

    // Adds edits as one step.
    commit(...made) {
      if (made.length) {
        this.change(model.change(this.history, [...this.history.present, ...made]), "");
        this.said = made.map((edit) => this.outcome.words.get(edit.id)).join("; ");
        this.show();
      }
    }

    undo() {
      if (model.canUndo(this.history)) {
        this.change(model.undo(this.history), "Undone");
      }
    }

    redo() {
      if (this.history.future.length) {
        this.change(model.redo(this.history), "Done again");
      }
    }

    remove(id) {
      const { edits, alsoRemoved } = model.withoutEdit(gallery, this.history.present, id, (one) => this.baseOf(one));
      const also = alsoRemoved ? `, with ${model.count(alsoRemoved, "edit")} that needed it` : "";
      this.change(model.change(this.history, edits), `Removed${also}`);
    }

    removeAll() {
      this.change(model.change(this.history, []), "All edits removed; Undo brings them back");
    }

    setWho(who) {
      this.who = who;
      birdmodes.reviewName.set(who);
      if (this.history.present.length) {
        this.store.save(this.asReview());
      }
    }

    // --- files ---

    async load(file) {
      try {
        const review = model.checkReview(JSON.parse(await file.text()), gallery);
        const said = `${model.count(review.edits.length, "edit")} from ${file.name}; Undo brings back those that were here`;
        this.change(model.change(this.history, review.edits), said);
      } catch (error) {
        const why = error instanceof SyntaxError ? "it is not JSON" : error.message;
        this.said = `${file.name} was not loaded: ${why}`;
        this.show();
      }
    }

    download() {
      const text = `${JSON.stringify(this.asReview(), null, 1)}\n`;
      const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      const link = birdmodes.reviewDom.make("a", { href: address, download: "review.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      this.said = "review.json downloaded";
      this.show();
    }

    // --- selection ---

    select(ids) {
      this.selection = new Set(ids);
      this.show();
    }

    toggle(id, wanted = !this.selection.has(id)) {
      const selection = new Set(this.selection);
      selection[wanted ? "add" : "delete"](id);
      this.select(selection);
    }

    // Loads the syllables, which commands need; says so if that fails.
    async hasSyllables() {
      try {
        await birdmodes.loadSyllables();
        return true;
      } catch (error) {
        this.said = error.message;
        this.show();
        return false;
      }
    }

    // --- commands on syllables ---

    async mark(as, ids = [...this.selection]) {
      if (!(await this.hasSyllables())) {
        return;
      }
      const groups = new Map();
      for (const id of ids) {
        const now = this.stateOf(id);
        const species = this.outcome.state.clusters.get(now.cluster)?.species ?? "";
        const isSame = (now.review || "none") === as || (as === "none" && now.review === "moved");
        const cannot = as === "not-species" && !species;
        if (!isSame && !cannot) {
          const key = as === "not-species" ? species : "";
          if (!groups.has(key)) {
            groups.set(key, []);
          }
          groups.get(key).push(id);
        }
      }
      if (!groups.size) {
        this.said = as === "not-species" ? "No species is given for these" : "They are so already";
        this.show();
      }
      const made = [...groups].map(([species, syllables]) =>
        model.makeEdit("mark", { syllables, as, species }),
      );
      this.commit(...made);
    }

    async move(ids = [...this.selection]) {
      if (!(await this.hasSyllables())) {
        return;
      }
      const from = [...new Set(ids.map((id) => this.stateOf(id).cluster))]
        .map((number) => this.clusterOf(number))
        .filter(Boolean); // a sound that was drawn may have none yet
      const parts = await dialogs.moveTo(ids.map(birdmodes.rowOf), from);
      if (parts) {
        this.commit(model.makeEdit("move", { syllables: ids, ...parts }));
        this.select([]);
      }
    }

    async newMode(ids = [...this.selection]) {
      if (!(await this.hasSyllables())) {
        return;
      }
      const likely = this.clusterOf(this.stateOf(ids[0]).cluster)?.species ?? "";
      const parts = await dialogs.newMode(ids.map(birdmodes.rowOf), likely);
      if (parts) {
        const cluster = model.nextCluster(gallery, this.history.present);
        this.commit(model.makeEdit("new-mode", { cluster, ...parts, syllables: ids }));
        this.select([]);
      }
    }

    // --- commands on modes: rename, species, merge, split ---

    async editMode(action, number) {
      if (!(await this.hasSyllables())) {
        return;
      }
      const cluster = this.clusterOf(number);
      const parts = await dialogs[action](cluster);
      if (parts && action === "split") {
        const first = model.nextCluster(gallery, this.history.present);
        parts.new_clusters = parts.groups.slice(1).map((_, index) => first + index);
      }
      if (parts) {
        this.commit(model.makeEdit(action, parts));
      }
    }

    // A command by name, on the selection or else on the syllable that has the focus.
    run(command, focused = null) {
      const ids = this.selection.size ? [...this.selection] : focused ? [focused] : [];
      if (!ids.length) {
        this.said = "Select syllables first";
        this.show();
      } else if (command === "move") {
        this.move(ids);
      } else if (command === "new-mode") {
        this.newMode(ids);
      } else {
        this.mark(command, ids);
      }
    }

    // --- the page ---

    show() {
      birdmodes.reviewPanel?.show(this);
      birdmodes.reviewPage?.show(this);
    }

    async setOpen(wanted) {
      this.isOpen = wanted;
      try {
        sessionStorage.setItem(OPEN, wanted ? "yes" : "");
      } catch {
        // The panel is closed again on the next page.
      }
      this.show();
      document.dispatchEvent(new CustomEvent("birdmodes:review-open"));
      if (wanted) {
        if (await this.hasSyllables()) {
          this.show();
        }
      }
    }

    async start() {
      birdmodes.reviewPanel.start(this);
      birdmodes.reviewPage.start(this);
      document.addEventListener("keydown", (event) => this.onKey(event));
      document.addEventListener("birdmodes:selection", (/** @type {CustomEvent} */ event) => {
        this.select(event.detail.syllables);
      });
      await this.store.open();
      if (this.history.present.length) {
        await this.hasSyllables();
      }
      let wasOpen = "";
      try {
        wasOpen = sessionStorage.getItem(OPEN) ?? "";
      } catch {
        // A browser that keeps nothing.
      }
      await this.setOpen(wasOpen === "yes");
    }

    onKey(event) {
      const isText = event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select");
      if (!this.isOpen || isText || document.querySelector("dialog[open]") || event.altKey) {
        return;
      }
      const key = event.key.toLowerCase();
      if (event.ctrlKey || event.metaKey) {
        const isRedo = key === "y" || (key === "z" && event.shiftKey);
        if (isRedo || key === "z") {
          event.preventDefault();
          isRedo ? this.redo() : this.undo();
        }
      } else if (!this.hasOwnKeys && SHORTCUTS[key]) {
        event.preventDefault();
        this.run(SHORTCUTS[key], event.target.closest?.("[data-syllable]")?.dataset.syllable);
      } else if (event.key === "Escape" && this.selection.size) {
        this.select([]);
      }
    }
  }

  birdmodes.review = new Review();
  birdmodes.review.ready = birdmodes.review.start();
})();
