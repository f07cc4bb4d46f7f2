// The page of a species: plays the examples, one at a time, with the mouse or the keyboard.
"use strict";

(() => {
  const modes = document.getElementById("modes");
  const onlyBand = document.getElementById("only-band");
  const speed = document.getElementById("speed");
  const outlines = document.getElementById("outlines");
  const hint = document.getElementById("hint");
  const now = document.getElementById("now");
  const problem = document.getElementById("problem");
  const scale = { start_s: Number(modes.dataset.start), end_s: Number(modes.dataset.end) };

  // --- playing ---

  let playing = null; // the button whose sound is on or on its way
  let attempt = 0;

  function showStopped() {
    if (playing) {
      playing.setAttribute("aria-pressed", "false");
      playing.classList.remove("moving");
      playing = null;
    }
    now.textContent = "";
    hint.hidden = false;
  }

  function stop() {
    attempt += 1; // what is still being loaded will not begin
    birdmodes.player.stop();
    showStopped();
  }

  function showProblem(text) {
    problem.textContent = text;
  }

  // Moves the line over the picture; it stays hidden for people who want no movement.
  function moveLine(button, time_s) {
    if (birdmodes.calm) {
      return;
    }
    const line = button.querySelector(".cursor");
    const width = line.ownerSVGElement.viewBox.baseVal.width;
    const from = Number(button.dataset.start) + scale.start_s;
    const part = (time_s - from) / (scale.end_s - scale.start_s);
    const x = width * Math.min(Math.max(part, 0), 1);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    button.classList.add("moving");
  }

  async function play(button) {
    stop();
    problem.textContent = "";
    playing = button;
    button.setAttribute("aria-pressed", "true");
    hint.hidden = true;
    now.textContent = button.getAttribute("aria-label").replace(/^Play /, "♪ ");
    const mine = attempt;
    const { clip: name, from, to, low, high, gain } = button.dataset;
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
      from_s: Number(from),
      to_s: Number(to),
      band: onlyBand.checked ? [Number(low), Number(high)] : null,
      rate: Number(speed.querySelector(":checked").value),
      gain: Number(gain),
      onTime: (time_s) => moveLine(button, time_s),
      onEnd: () => {
        if (mine === attempt) {
          showStopped();
        }
      },
      onProblem: showProblem,
    });
  }

  function playAgain() {
    if (playing) {
      play(playing);
    }
  }

  modes.addEventListener("click", (event) => {
    const button = event.target.closest("button.play");
    if (button && button === playing) {
      stop();
    } else if (button) {
      play(button);
    }
  });

  onlyBand.addEventListener("change", playAgain);
  speed.addEventListener("change", playAgain);

  function showOutlines() {
    document.body.classList.toggle("no-outlines", !outlines.checked);
  }

  showOutlines(); // browsers may remember the switch
  outlines.addEventListener("change", showOutlines);

  // --- keyboard: one stop of the Tab key for each row, arrows within it and between rows ---

  const rows = [...modes.querySelectorAll(".strip")]
    .map((strip) => [...strip.querySelectorAll("button.play")])
    .filter((row) => row.length);
  const rowOf = (button) => rows.find((row) => row.includes(button));

  function makeCurrent(button) {
    for (const other of rowOf(button)) {
      const isCurrent = other === button;
      other.tabIndex = isCurrent ? 0 : -1;
      other.closest("figure").querySelector("a.recording").tabIndex = isCurrent ? 0 : -1;
    }
  }

  rows.forEach((row) => makeCurrent(row[0]));

  const middle = (button) => {
    const box = button.getBoundingClientRect();
    return box.left + box.width / 2;
  };

  function nearest(row, x) {
    const distance = (button) => Math.abs(middle(button) - x);
    return row.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  }

  function target(button, key) {
    const row = rowOf(button);
    const place = row.indexOf(button);
    const beside = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: row.length - 1 };
    if (key in beside) {
      return row[beside[key]];
    }
    const other = rows[rows.indexOf(row) + { ArrowUp: -1, ArrowDown: 1 }[key]];
    return other && nearest(other, middle(button));
  }

  modes.addEventListener("focusin", (event) => {
    const button = event.target.closest("figure.example")?.querySelector("button.play");
    if (button) {
      makeCurrent(button);
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      stop();
      return;
    }
    const button = event.target instanceof Element && event.target.closest("button.play");
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (button && isPlain && /^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key)) {
      event.preventDefault();
      target(button, event.key)?.focus();
    }
  });

  // --- the kinds of examples of a row ---

  modes.addEventListener("click", (event) => {
    const link = event.target.closest(".kinds a");
    if (link) {
      // Moves the row alone; following the link would move the page too.
      event.preventDefault();
      const group = document.getElementById(link.hash.slice(1));
      group.scrollIntoView({
        behavior: birdmodes.calm ? "auto" : "smooth",
        block: "nearest",
        inline: "start",
      });
      group.querySelector("button.play, a")?.focus({ preventScroll: true });
    }
  });

  document.getElementById("controls").hidden = false;
})();
