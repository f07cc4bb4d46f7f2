// Label next: ten syllables at a time, most useful first, answered with one key each. Answers are
// edits of the review.
"use strict";

(() => {
  const { make, thumb, thumbs } = birdmodes.reviewDom;
  const { count, makeEdit } = birdmodes.edits;
  const { gallery } = birdmodesData;

  const TEN = 10;
  const MOST_MODES = 9;
  const AROUND_S = 0.4; // shown before and after the syllable
  const PAUSE_S = 0.15; // heard before and after it
  const SVG = "http://www.w3.org/2000/svg";

  const at = Object.fromEntries(
    ["status", "progress", "strip", "card", "title", "place", "picture", "problem", "play", "band",
      "auto", "more", "answers", "done", "done-title", "done-words", "next"]
      .map((name) => [name, document.getElementById(`label-${name}`)]),
  );

  const skipped = new Set();
  const answers = new Map(); // row -> answer in words, of this visit
  let queue = []; // rows that wait
  let ten = [];
  let current = 0;
  let species = ""; // whose modes are offered
  let shown = null; // row and clip of the picture
  let isReady = false;

  const review = birdmodes.review;
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

  function likelySpecies(row) {
    const cluster = review.stateOf(idOf(row)).cluster;
    return review.clusterSpecies(cluster) || gallery.species[0]?.name || "";
  }

  function modesOffered() {
    return review
      .clusters()
      .filter((cluster) => cluster.species && cluster.species === species)
      .sort((a, b) => b.rows.length - a.rows.length)
      .slice(0, MOST_MODES);
  }

  // --- picture ---

  function svg(tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    return element;
  }

  // The clip's picture, cut to the syllable and what is around it, in pixels of the picture.
  function drawClip(clip, row) {
    const { syllables } = birdmodesData;
    const { picture } = clip;
    const column = (time_s) => (time_s - clip.start_s - picture.first_s) / picture.frame_s + 0.5;
    const left = Math.max(column(syllables.start_s[row] - AROUND_S), 0);
    const right = Math.min(column(syllables.end_s[row] + AROUND_S), picture.width);
    const index = clip.numbers.indexOf(syllables.number[row]);
    const [first, lowest] = clip.places[index];
    at.picture.setAttribute("viewBox", `${left} 0 ${right - left} ${picture.height}`);
    at.picture.style.aspectRatio = "5 / 3";
    at.picture.replaceChildren(
      svg("image", {
        href: birdmodes.url(picture.file),
        width: picture.width,
        height: picture.height,
        preserveAspectRatio: "none",
      }),
      svg("path", {
        class: "outline",
        d: clip.outlines[index],
        transform: `translate(${first} ${picture.height - lowest}) scale(1 -1)`,
      }),
      svg("line", { class: "cursor", y1: 0, y2: picture.height, visibility: "hidden" }),
    );
    shown = { row, clip, column };
  }

  // Without the clip's picture there is still the thumb.
  function drawThumb(row) {
    const { width, height, columns, per_sheet: perSheet, sheets } = gallery.thumbs;
    const cell = row % perSheet;
    const [x, y] = [(cell % columns) * width, Math.floor(cell / columns) * height];
    at.picture.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    at.picture.style.aspectRatio = `${width} / ${height}`;
    const href = birdmodes.url(sheets[Math.floor(row / perSheet)]);
    at.picture.replaceChildren(svg("image", { href }));
    shown = { row, clip: null };
  }

  async function draw(row) {
    const clip = clipOf(row);
    let loaded = null;
    if (clip?.media) {
      loaded = await birdmodes.loadClip(clip.name).catch(() => null);
    }
    if (ten[current] !== row) {
      return; // answered meanwhile
    }
    if (loaded?.picture) {
      drawClip(loaded, row);
    } else {
      drawThumb(row);
    }
    shown.clip = loaded;
    at.play.disabled = !loaded?.sound;
    at.problem.textContent = loaded?.sound ? "" : "There is no sound of this clip in the gallery.";
    if (at.auto.checked && loaded?.sound) {
      play();
    }
  }

  function play() {
    const { row, clip, column } = shown ?? {};
    if (!clip?.sound) {
      return;
    }
    if (birdmodes.player.playing) {
      birdmodes.player.stop();
      return;
    }
    const { syllables } = birdmodesData;
    const cursor = at.picture.querySelector(".cursor");
    birdmodes.player.play({
      clip,
      from_s: syllables.start_s[row] - PAUSE_S,
      to_s: syllables.end_s[row] + PAUSE_S,
      band: at.band.checked ? [syllables.low_hz[row], syllables.high_hz[row]] : null,
      rate: 1,
      gain: clip.gains?.[clip.numbers.indexOf(syllables.number[row])] ?? 1,
      onTime: (time_s) => {
        if (cursor && !birdmodes.calm) {
          cursor.setAttribute("x1", column(time_s));
          cursor.setAttribute("x2", column(time_s));
          cursor.setAttribute("visibility", "visible");
        }
      },
      onEnd: () => cursor?.setAttribute("visibility", "hidden"),
      onProblem: (text) => {
        at.problem.textContent = text;
      },
    });
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
    const one = make("button", { type: "button", class: name, "aria-keyshortcuts": key, click });
    one.append(make("kbd", { "aria-hidden": "true" }, key.toUpperCase()), text);
    if (extra) {
      one.append(extra);
    }
    return one;
  }

  function speciesChoice() {
    const names = [...new Set(review.clusters().map((cluster) => cluster.species))].filter(Boolean);
    const choice = make(
      "select",
      {
        change: () => {
          species = choice.value;
          showAnswers(ten[current]);
          at.answers.querySelector("select").focus();
        },
      },
      ...names.sort().map((name) => make("option", { value: name, selected: name === species }, name)),
    );
    return make("label", { class: "field" }, make("span", {}, "Modes of"), choice);
  }

  function showAnswers(row) {
    const now = review.stateOf(idOf(row)).cluster;
    const modes = modesOffered().map((cluster, index) =>
      answerButton(
        `${index + 1}`,
        cluster.cluster === now ? `${cluster.name} (as it is now)` : cluster.name,
        () => give.mode(row, cluster.cluster),
        thumbs(cluster.rows.filter((other) => other !== row), 5),
        "button label-mode",
      ),
    );
    const not = answerButton("x", `Not ${species || "this species"}`, () => give.not(row));
    not.disabled = !species;
    at.answers.replaceChildren(
      make("h2", {}, "What is it?"),
      speciesChoice(),
      ...modes,
      answerButton("g", `Right as it is: ${review.nameOf(now)}`, () => give.good(row)),
      answerButton("n", "Noise", () => give.noise(row)),
      not,
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
    species = likelySpecies(row);
    at.title.textContent = `Syllable ${current + 1} of ${ten.length}: ${review.nameOf(review.stateOf(idOf(row)).cluster)}?`;
    at.place.textContent =
      `${gallery.recordings[syllables.recording[row]]}, ${syllables.start_s[row].toFixed(2)} to ` +
      `${syllables.end_s[row].toFixed(2)} s, ${kHz(syllables.low_hz[row])} to ` +
      `${kHz(syllables.high_hz[row])} kHz, confidence ${syllables.confidence[row].toFixed(2)}`;
    at.more.href = `syllable.html#${encodeURIComponent(idOf(row))}`;
    showStrip();
    showAnswers(row);
    if (hadFocus) {
      at.answers.querySelector("button").focus();
    }
    shown = null;
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
    const mode = /^[1-9]$/.test(key) ? modesOffered()[Number(key) - 1] : null;
    const byKey = { n: "noise", g: "good", x: "not", s: "skip" }[key];
    if (mode) {
      give.mode(row, mode.cluster);
    } else if (byKey) {
      give[byKey](row);
    } else if (key === " " && !event.target.closest?.("button, a, input, summary")) {
      event.preventDefault();
      play();
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
    at.play.addEventListener("click", play);
    at.next.addEventListener("click", takeTen);
    document.addEventListener("keydown", onKey);
    document.addEventListener("birdmodes:reviewed", onReviewed);
    try {
      await birdmodes.loadSyllables();
    } catch (error) {
      at.status.textContent = error.message;
      return;
    }
    await review.ready;
    isReady = true;
    takeTen();
  }

  start();
})();
