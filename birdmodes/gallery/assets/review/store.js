// Keeps a review: in the workspace, where `birdmodes review` serves the gallery, else in the
// browser. Every write names the revision it was made from, so that of two tabs the later one is
// told instead of writing over the first.
"use strict";

(() => {
  const birdmodes = (globalThis.birdmodes ??= /** @type {Birdmodes} */ ({}));

  const WHO = "birdmodes-review-who";
  const LOCAL_HOSTS = ["127.0.0.1", "localhost"];
  // Browsers let a page send this much while it is being left.
  const KEEPALIVE_BYTES = 60_000;

  // --- in the browser: localStorage, one entry for each state of a clustering -----------------

  function browserKeeper(gallery) {
    const key = `birdmodes-review:${gallery.base}`;

    function read() {
      const text = localStorage.getItem(key);
      return text === null ? { revision: 0, review: null } : JSON.parse(text);
    }

    return {
      place: "in this browser",
      key,
      read: async () => read(),
      async write(revision, review) {
        const now = read();
        if (now.revision !== revision) {
          return { conflict: true, ...now };
        }
        try {
          localStorage.setItem(key, JSON.stringify({ revision: revision + 1, review }));
        } catch {
          throw new Error("this browser keeps no more data for this page; download the review");
        }
        return { revision: revision + 1 };
      },
    };
  }

  // --- in the workspace: the server of `birdmodes review` -------------------------------------

  async function ask(address, options) {
    let answer;
    try {
      answer = await fetch(address, { cache: "no-store", ...options });
    } catch {
      throw new Error("the review server does not answer; is 'birdmodes review' still running?");
    }
    const isJson = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
    const content = isJson ? await answer.json() : {};
    if (!answer.ok && answer.status !== 409) {
      throw new Error(content.problem ?? `the review server answered ${answer.status}`);
    }
    return { conflict: answer.status === 409, isJson, ...content };
  }

  async function workspaceKeeper() {
    if (!location.protocol.startsWith("http") || !LOCAL_HOSTS.includes(location.hostname)) {
      return null;
    }
    const address = new URL(`${birdmodes.root}api/review`, location.href).href;
    try {
      if (!(await ask(address)).isJson) {
        return null;
      }
    } catch {
      return null; // a plain web server
    }
    return {
      place: "in the workspace",
      key: null,
      read: () => ask(address),
      write(revision, review) {
        const body = JSON.stringify({ revision, review });
        return ask(address, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
          keepalive: body.length < KEEPALIVE_BYTES,
        });
      },
    };
  }

  // --- one store for the page ------------------------------------------------------------------

  class ReviewStore {
    // `onStatus` takes {state, text}; `onEdits` takes edits that came from elsewhere, and their
    // author.
    constructor(gallery, onStatus, onEdits) {
      this.gallery = gallery;
      this.onStatus = onStatus;
      this.onEdits = onEdits;
      this.revision = 0;
      this.unsaved = null; // the newest review that is not written yet
      this.busy = false;
      this.theirs = null;
    }

    async open() {
      this.keeper = (await workspaceKeeper()) ?? browserKeeper(this.gallery);
      await this.refresh();
      addEventListener("storage", (event) => {
        if (event.key === this.keeper.key) {
          this.refresh();
        }
      });
      addEventListener("focus", () => this.refresh());
      addEventListener("pageshow", (event) => event.persisted && this.refresh());
      addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    }

    get isWorkspace() {
      return this.keeper?.key === null;
    }

    say(state, text) {
      this.onStatus({ state, text });
    }

    // Takes over what another tab has saved; what is not saved here goes first.
    async refresh() {
      if (this.unsaved) {
        return this.busy || this.theirs ? undefined : this.write();
      }
      try {
        const found = await this.keeper.read();
        if (!this.unsaved && found.revision !== this.revision) {
          this.take(found);
        }
        this.say("saved", `Saved ${this.keeper.place}`);
      } catch (error) {
        this.say("unsaved", `Not read: ${error.message}`);
      }
      return undefined;
    }

    take({ revision, review }) {
      const checked = review && birdmodes.edits.checkReview(review, this.gallery);
      this.revision = revision;
      this.onEdits(checked?.edits ?? [], checked?.who ?? "");
    }

    save(review) {
      this.unsaved = review;
      return this.busy || this.theirs ? undefined : this.write();
    }

    async write() {
      this.busy = true;
      this.say("saving", "Saving …");
      try {
        while (this.unsaved && !this.theirs) {
          const review = this.unsaved;
          const answer = await this.keeper.write(this.revision, review);
          if (answer.conflict) {
            this.theirs = answer;
          } else {
            this.revision = answer.revision;
            this.unsaved = this.unsaved === review ? null : this.unsaved;
          }
        }
        if (this.theirs) {
          this.say("conflict", "Not saved: another tab or window has changed the review meanwhile");
        } else {
          this.say("saved", `Saved ${this.keeper.place}`);
        }
      } catch (error) {
        this.say("unsaved", `Not saved: ${error.message}`);
      } finally {
        this.busy = false;
      }
    }

    // The two ways out of a conflict.
    takeTheirs() {
      const theirs = this.theirs;
      this.theirs = this.unsaved = null;
      this.take(theirs);
      this.say("saved", `Saved ${this.keeper.place}`);
    }

    keepMine() {
      this.revision = this.theirs.revision;
      this.theirs = null;
      return this.write();
    }
  }

  function rememberedName() {
    try {
      return localStorage.getItem(WHO) ?? "";
    } catch {
      return "";
    }
  }

  function rememberName(who) {
    try {
      localStorage.setItem(WHO, who);
    } catch {
      // It is asked for again on the next page.
    }
  }

  birdmodes.ReviewStore = ReviewStore;
  birdmodes.reviewName = { get: rememberedName, set: rememberName };
})();
