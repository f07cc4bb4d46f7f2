// Plays the pictures of syllables, one at a time, with the mouse or the keyboard: all that have the
// class "spec" within something that names a clip.
//
// birdmodes.pictures.play(button)   plays a picture, or a part of one; again stops it
// birdmodes.pictures.stop()
// birdmodes.pictures.onEnd          set by a page that goes on when a sound has ended by itself
//
// On pages that have these controls: #speed, #only-band, #part (what a click plays), #view, #outlines.
"use strict";

(() => {
  const find = (id) => document.getElementById(id);
  const checked = (id) => find(id)?.querySelector(":checked")?.value;

  // --- playing ---

  let playing = null; // {button: what was pressed, picture: where the line moves}
  let attempt = 0;

  function showStopped() {
    for (const one of playing ? [playing.button, playing.picture] : []) {
      one.setAttribute("aria-pressed", "false");
      one.classList.remove("moving", "playing");
    }
    playing = null;
  }

  function stop() {
    attempt += 1; // what is still being loaded will not begin
    birdmodes.player.stop();
    showStopped();
  }

  // Said where it is seen, without moving anything.
  function showProblem(text) {
    let toast = find("toast");
    if (!toast) {
      toast = document.createElement("p");
      toast.id = "toast";
      toast.className = "toast";
      toast.setAttribute("role", "status");
      document.body.append(toast);
    }
    toast.textContent = text;
    toast.hidden = !text;
  }

  // The line stays hidden for people who want no movement.
  function moveLine(picture, time_s) {
    if (birdmodes.calm) {
      return;
    }
    const share = (time_s - Number(picture.dataset.start)) / Number(picture.dataset.width);
    const x = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    const line = picture.querySelector(".head");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    picture.classList.add("moving");
  }

  const isSeen = (element) => element.checkVisibility(); // not folded away

  const pictureOf = (example) =>
    [...example.querySelectorAll("button.spec")].find(isSeen) ?? example.querySelector("button.spec");

  // What a press on a picture plays: the part that is chosen on the page, else the whole picture.
  function stretchOf(button) {
    const part = button.matches(".spec") && checked("part");
    const choice = part && button.closest(".example").querySelector(`[data-part="${part}"]`);
    const { from, to } = (choice || button).dataset;
    return { from_s: Number(from), to_s: Number(to) };
  }

  async function play(button) {
    const again = playing?.button === button;
    stop();
    if (again) {
      return;
    }
    showProblem("");
    const example = button.closest("[data-clip]");
    const picture = button.matches(".spec") ? button : pictureOf(example);
    playing = { button, picture };
    for (const one of [button, picture]) {
      one.setAttribute("aria-pressed", "true");
      one.classList.add("playing");
    }
    const mine = attempt;
    const { clip: name, low, high, gain } = example.dataset;
    let clip;
    try {
      clip = await birdmodes.loadClip(name);
    } catch (error) {
      if (mine === attempt) {
        showStopped();
        showProblem(error.message);
      }
      return;
    }
    if (mine !== attempt) {
      return;
    }
    birdmodes.player.play({
      clip,
      ...stretchOf(button),
      band: find("only-band")?.checked ? [Number(low), Number(high)] : null,
      rate: Number(checked("speed") ?? 1),
      gain: Number(gain),
      onTime: (time_s) => moveLine(picture, time_s),
      onEnd: () => {
        if (mine === attempt) {
          showStopped();
          birdmodes.pictures.onEnd?.();
        }
      },
      onProblem: showProblem,
    });
  }

  function playAgain() {
    if (playing) {
      const { button } = playing;
      stop();
      play(button);
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("button.spec, button.part");
    if (button?.closest("[data-clip]")) {
      birdmodes.pictures.onEnd = null;
      play(button);
    }
  });

  for (const id of ["only-band", "speed"]) {
    find(id)?.addEventListener("change", playAgain);
  }

  // --- keyboard: one stop of the Tab key for each row, arrows within it and between rows ---

  const middle = (button) => {
    const box = button.getBoundingClientRect();
    return box.left + box.width / 2;
  };

  const rowsOnPage = () =>
    [...document.querySelectorAll(".tiles, .strip")]
      .map((row) =>
        [...row.querySelectorAll("button.spec")].filter((one) => one.closest(".tiles, .strip") === row && isSeen(one)),
      )
      .filter((row) => row.length);

  // Only where a row is long: everything in it can be reached by arrows.
  function makeCurrent(button) {
    const row = button.closest(".tiles, .strip");
    for (const other of row?.querySelectorAll("button.spec") ?? []) {
      other.tabIndex = other === button ? 0 : -1;
    }
  }

  function nearest(buttons, from, direction) {
    const start = from.getBoundingClientRect();
    let best = null;
    let least = Infinity;
    for (const one of buttons) {
      const box = one.getBoundingClientRect();
      const down = (box.top - start.top) * direction;
      const distance = 3 * down + Math.abs(middle(one) - middle(from));
      if (down > start.height / 2 && distance < least) {
        best = one;
        least = distance;
      }
    }
    return best;
  }

  function target(button, key) {
    const rows = rowsOnPage();
    const row = rows.find((one) => one.includes(button)) ?? [];
    const place = row.indexOf(button);
    const beside = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: row.length - 1 };
    if (key in beside) {
      return row[beside[key]];
    }
    return nearest(rows.flat(), button, key === "ArrowDown" ? 1 : -1);
  }

  document.addEventListener("focusin", (event) => {
    const button = event.target instanceof Element && event.target.closest("button.spec");
    if (button) {
      makeCurrent(button);
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      birdmodes.pictures.onEnd = null;
      stop();
      return;
    }
    const element = event.target instanceof Element ? event.target : null;
    const button = element?.closest("button.spec");
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (button && isPlain && /^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key)) {
      event.preventDefault();
      target(button, event.key)?.focus();
    } else if (event.key === "/" && isPlain && !element?.matches("input, select, textarea")) {
      const search = document.querySelector("input[type=search]");
      if (search) {
        event.preventDefault();
        search.focus();
      }
    }
  });

  for (const row of document.querySelectorAll(".tiles, .strip")) {
    const first = row.querySelector("button.spec");
    if (first) {
      makeCurrent(first);
    }
  }

  // Without this script there would be controls that do nothing.
  for (const control of document.querySelectorAll(".toolbar [hidden]:not(.look)")) {
    control.hidden = false;
  }

  birdmodes.pictures = { play, stop, onEnd: null, showProblem };
})();
