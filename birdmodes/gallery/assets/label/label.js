// Label next: ten syllables at a time, most useful first, answered with one key each. Answers are
// edits of the review.
"use strict";

(() => {
  const { make, thumb } = birdmodes.reviewDom;
  const { count, makeEdit, nextCluster } = birdmodes.edits;
  const { gallery } = birdmodesData;

  const TEN = 10;
  const MOST_MODES = 6;
  const MOST_KEYS = 9;
  const PICTURES = 2; // of each mode that is offered
  const LISTED = ""; // offers the modes of all species that are listed

  const at = Object.fromEntries(
    ["status", "progress", "strip", "card", "title", "place", "listed", "problem", "play", "context",
      "band", "auto", "more", "answers", "done", "done-title", "done-words", "next"]
      .map((name) => [name, document.getElementById(`label-${name}`)]),
  );

  const skipped = new Set();
  const answers = new Map(); // row -> answer in words, of this visit
  let queue = []; // rows that wait
  let ten = [];
  let current = 0;
  let species = ""; // that it is taken for
  let offered = LISTED; // whose modes are offered
  let isReady = false;

  const review = birdmodes.review;
  const picture = new birdmodes.LabelPicture(gallery, Number(at.answers.dataset.width));
  const idOf = (row) => birdmodes.syllableId(row);
  const isAnswered = (row) => review.outcome.state.syllables.has(idOf(row));

  function clipOf(row) {
    const number = birdmodesData.syllables.clip[row];
    return number >= 0 ? gallery.clips[number] : null;
  }

  // --- what is asked ---

  function takeTen() {
    queue = gallery.label_next.filter((row) => !isAnswered(row) && !skipped.has(row));
    ten = queue.slice(0, TEN);
    current = 0;
    answers.clear();
    at.done.hidden = true;
    show();
    if (!ten.length) {
      finish();
    }
  }

  const listedFor = (row) => birdmodes.spectrogram.listed(birdmodesData.syllables.recording[row]);

  // Of the species listed for the recording, else of the one that it is taken for; those that sound most
  // like the syllable first.
  function modesOffered() {
    const row = ten[current];
    const listed = listedFor(row);
    const wanted = offered !== LISTED ? [offered] : listed?.length ? listed : [species];
    const modes = new Map(gallery.modes.map((mode) => [mode.cluster, mode]));
    const clusters = review
      .clusters()
      .filter((cluster) => cluster.species && wanted.includes(cluster.species))
      .map((cluster) => ({ ...modes.get(cluster.cluster), ...cluster }));
    return birdmodes.spectrogram.modesLike(row, clusters).slice(0, MOST_MODES);
  }

  // Those of the list that have no mode yet: of such a one, this sound is the first of a new mode.
  function withoutModes(row) {
    const known = new Set(review.clusters().map((cluster) => cluster.species));
    const listed = offered === LISTED ? (listedFor(row) ?? []) : [];
    return listed.filter((name) => !known.has(name));
  }

  // --- picture ---

  async function draw(row) {
    const clip = clipOf(row);
    let loaded = null;
    if (clip?.media) {
      loaded = await birdmodes.loadClip(clip.name).catch(() => null);
    }
    if (ten[current] !== row) {
      return; // answered meanwhile
    }
    picture.draw(row, loaded);
    at.play.disabled = at.context.disabled = !loaded?.sound;
    at.problem.textContent = loaded?.sound ? "" : "There is no sound of this clip in the gallery.";
    if (at.auto.checked && loaded?.sound) {
      play();
    }
  }

  function play(part = "syllable") {
    picture.play(part, at.band.checked);
  }

  // --- answers ---

  const give = {
    noise: (row) => answer(row, "noise", "mark", { as: "noise", species: "" }),
    good: (row) => answer(row, "right", "mark", { as: "good", species: "" }),
    not: (row) =>
      species && answer(row, `not ${species}`, "mark", { as: "not-species", species }),
    mode: (row, cluster) =>
      review.stateOf(idOf(row)).cluster === cluster
        ? give.good(row)
        : answer(row, review.nameOf(cluster), "move", { cluster }),
    first(row, name) {
      const cluster = nextCluster(gallery, review.asReview().edits);
      answer(row, name, "new-mode", { cluster, species: name, name: "" });
    },
    skip(row) {
      skipped.add(row);
      goOn(row, "skipped");
    },
  };

  function answer(row, words, action, parts) {
    skipped.delete(row);
    review.commit(makeEdit(action, { syllables: [idOf(row)], ...parts }));
    goOn(row, words);
  }

  function goOn(row, words) {
    birdmodes.player.stop();
    answers.set(row, words);
    const open = ten.findIndex((one) => !answers.has(one));
    if (open < 0) {
      finish();
    } else {
      // The next one behind, else the first that was passed over.
      const behind = ten.findIndex((one, index) => index > current && !answers.has(one));
      choose(behind < 0 ? open : behind);
    }
  }

  function choose(index) {
    current = index;
    at.done.hidden = true;
    show();
  }

  function finish() {
    const left = gallery.label_next.filter((row) => !isAnswered(row) && !skipped.has(row)).length;
    const given = [...answers.values()].filter((words) => words !== "skipped").length;
    at["done-title"].textContent = ten.length
      ? `${count(given, "answer")} given, ${answers.size - given} skipped`
      : "Nothing left to ask";
    at["done-words"].textContent = left
      ? `${count(left, "syllable")} left to ask.`
      : "All are answered or skipped. Apply the review and cluster again with it: the next gallery asks new ones.";
    at.next.hidden = left === 0;
    at.card.hidden = true;
    at.done.hidden = false;
    showStrip();
    at["done-title"].focus();
  }

  // --- the page ---

  function showStrip() {
    at.progress.max = Math.max(ten.length, 1);
    at.progress.value = answers.size;
    at.strip.replaceChildren(
      ...ten.map((row, index) => {
        const words = answers.get(row) ?? "";
        const one = make(
          "button",
          {
            type: "button",
            "aria-label": `Syllable ${index + 1}${words && `: ${words}`}`,
            "aria-current": index === current && !at.card.hidden ? "true" : null,
            click: () => choose(index),
          },
          thumb(row),
          make("span", {}, words || `${index + 1}`),
        );
        return make("li", {}, one);
      }),
    );
  }

  function answerButton(key, text, click, extra = null, name = "button") {
    const one = make("button", { type: "button", class: name, "aria-keyshortcuts": key || null, click });
    one.append(...(key ? [make("kbd", { "aria-hidden": "true" }, key.toUpperCase())] : []), text);
    if (extra) {
      one.append(extra);
    }
    return one;
  }

  // Species that are listed come first, and are together the first choice.
  function speciesChoice(row) {
    const listed = listedFor(row) ?? [];
    const known = new Set(review.clusters().map((cluster) => cluster.species).filter(Boolean));
    const first = listed.filter((name) => known.has(name));
    const others = [...known].filter((name) => !first.includes(name)).sort();
    const option = (name) => make("option", { value: name, selected: name === offered }, name);
    const choice = make(
      "select",
      {
        change: () => {
          offered = choice.value;
          showAnswers(ten[current]);
          at.answers.querySelector("select").focus();
        },
      },
      make("option", { value: LISTED, selected: offered === LISTED }, "the species listed"),
      ...first.map(option),
      make("optgroup", { label: "Not listed" }, ...others.map(option)),
    );
    return make("label", { class: "field" }, make("span", {}, "Modes of"), choice);
  }

  function showListed(row) {
    const names = listedFor(row);
    const words = names === null ? "There is no list of species" : "The list is empty: no species";
    at.listed.replaceChildren(
      ...(names?.length ? names : [words]).map((name) =>
        make("li", { class: names?.length ? null : "note" }, name),
      ),
    );
  }

  function modeItem(row, cluster, index, now) {
    const { tile, others } = birdmodes.spectrogram;
    const isNow = cluster.cluster === now;
    const words = make("span", { class: "note" }, [cluster.title, cluster.words].filter(Boolean).join(", "));
    const choice = answerButton(
      `${index + 1}`,
      isNow ? `${cluster.name} (as it is now)` : cluster.name,
      () => give.mode(row, cluster.cluster),
      words,
      "button label-mode",
    );
    const ids = others(cluster, gallery.recordings[birdmodesData.syllables.recording[row]], PICTURES);
    const tiles = ids.map((id) => tile(id, birdmodesData.examples[id]));
    return make("div", { class: "label-choice" }, choice, ...tiles);
  }

  function showAnswers(row) {
    const now = review.stateOf(idOf(row)).cluster;
    const modes = modesOffered().map((cluster, index) => modeItem(row, cluster, index, now));
    const fresh = withoutModes(row).map((name, index) =>
      answerButton(
        modes.length + index < MOST_KEYS ? `${modes.length + index + 1}` : "",
        name,
        () => give.first(row, name),
        make("span", { class: "note" }, "has no mode yet: this begins one"),
        "button label-mode",
      ),
    );
    at.answers.replaceChildren(
      make("h2", {}, "What is it?"),
      speciesChoice(row),
      ...modes,
      ...fresh,
      answerButton("g", `Right as it is: ${species ? review.nameOf(now) : "of no species"}`, () => give.good(row)),
      answerButton("n", "Noise", () => give.noise(row)),
      ...(species ? [answerButton("x", `Not ${species}`, () => give.not(row))] : []),
      answerButton("s", "Skip", () => give.skip(row)),
    );
  }

  function show() {
    if (!ten.length) {
      return;
    }
    const row = ten[current];
    const { syllables } = birdmodesData;
    const kHz = (hz) => (hz / 1000).toFixed(1);
    const hadFocus = at.answers.contains(document.activeElement);
    at.card.hidden = false;
    species = review.clusterSpecies(review.stateOf(idOf(row)).cluster);
    offered = LISTED;
    const name = species ? review.nameOf(review.stateOf(idOf(row)).cluster) : "whose sound is this";
    at.title.textContent = `Syllable ${current + 1} of ${ten.length}: ${name}?`;
    at.place.textContent =
      `${gallery.recordings[syllables.recording[row]]}, ${syllables.start_s[row].toFixed(2)} to ` +
      `${syllables.end_s[row].toFixed(2)} s, ${kHz(syllables.low_hz[row])} to ` +
      `${kHz(syllables.high_hz[row])} kHz`;
    at.more.href = `syllable.html#${encodeURIComponent(idOf(row))}`;
    showStrip();
    showAnswers(row);
    if (hadFocus) {
      at.answers.querySelector("button").focus();
    }
    picture.clear();
    showListed(row);
    draw(row);
  }

  function onKey(event) {
    const isText = event.target.closest?.("input:not([type=checkbox]), textarea, select");
    if (!isReady || isText || event.ctrlKey || event.metaKey || event.altKey || event.repeat) {
      return;
    }
    if (document.querySelector("dialog[open]")) {
      return;
    }
    const key = event.key.toLowerCase();
    if (at.card.hidden) {
      if (key === "enter" && !at.next.hidden && !event.target.closest?.("button, a, input")) {
        event.preventDefault();
        takeTen();
      }
      return;
    }
    const row = ten[current];
    const modes = /^[1-9]$/.test(key) ? modesOffered() : [];
    const mode = modes[Number(key) - 1];
    const name = /^[1-9]$/.test(key) && !mode ? withoutModes(row)[Number(key) - 1 - modes.length] : null;
    const byKey = { n: "noise", g: "good", x: "not", s: "skip" }[key];
    if (mode) {
      give.mode(row, mode.cluster);
    } else if (name) {
      give.first(row, name);
    } else if (byKey) {
      give[byKey](row);
    } else if (key === " " && !event.target.closest?.("button, a, input, summary")) {
      event.preventDefault();
      play();
    } else if (key === "a") {
      play("context");
    } else if ((key === "arrowright" || key === "arrowleft") && event.target.closest?.("button.spec")) {
      return; // between pictures, as everywhere
    } else if (key === "arrowright" || key === "arrowleft") {
      const step = key === "arrowright" ? 1 : -1;
      choose((current + step + ten.length) % ten.length);
    }
  }

  // Undo and removal take an answer back: the syllable is asked again.
  function onReviewed() {
    if (!isReady) {
      return;
    }
    const back = ten.filter(
      (row) => answers.has(row) && answers.get(row) !== "skipped" && !isAnswered(row),
    );
    back.forEach((row) => answers.delete(row));
    if (back.length) {
      choose(ten.indexOf(back[0]));
    } else {
      showStrip();
    }
  }

  async function start() {
    review.hasOwnKeys = true;
    picture.onProblem = (text) => {
      at.problem.textContent = text;
    };
    at.play.addEventListener("click", () => play());
    at.context.addEventListener("click", () => play("context"));
    at.next.addEventListener("click", takeTen);
    document.addEventListener("keydown", onKey);
    document.addEventListener("birdmodes:reviewed", onReviewed);
    try {
      await birdmodes.loadSyllables();
    } catch (error) {
      at.status.textContent = error.message;
      return;
    }
    await birdmodes.spectrogram.loadExamples().catch(() => ({}));
    await review.ready;
    isReady = true;
    takeTen();
  }

  start();
})();
