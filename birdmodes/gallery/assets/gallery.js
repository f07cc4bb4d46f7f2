// Plays the examples of a page: one sound at a time, with the mouse or the keyboard.
"use strict";

const player = document.getElementById("player");
const onlyBand = document.getElementById("only-band");
const outlines = document.getElementById("outlines");
const hint = document.getElementById("hint");
const now = document.getElementById("now");
const problem = document.getElementById("problem");
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

let playing = null;

function stop() {
  player.pause();
  if (playing) {
    playing.setAttribute("aria-pressed", "false");
    playing = null;
  }
  now.textContent = "";
  hint.hidden = false;
}

function play(button) {
  stop();
  problem.textContent = "";
  playing = button;
  button.setAttribute("aria-pressed", "true");
  hint.hidden = true;
  now.textContent = button.getAttribute("aria-label").replace(/^Play /, "♪ ");
  const band = onlyBand.checked && button.dataset.band;
  player.src = band || button.dataset.sound;
  player.play().then(follow, (error) => {
    // Choosing another sound before this one has begun is no problem.
    if (error.name !== "AbortError") {
      cannotPlay();
    }
  });
}

function cannotPlay() {
  stop();
  problem.textContent = "This sound cannot be played: is its file still in the sounds folder?";
}

// Moves the line over the picture; it stays hidden for people who want no movement.
function follow() {
  if (!playing || player.paused) {
    return;
  }
  const line = playing.querySelector(".cursor");
  const image = playing.querySelector("image");
  const left = Number(image.getAttribute("x"));
  const right = left + Number(image.getAttribute("width"));
  const at = Number(playing.dataset.x) + player.currentTime * Number(playing.dataset.speed);
  const x = Math.min(Math.max(calm.matches ? left : at, left), right);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  if (!calm.matches) {
    requestAnimationFrame(follow);
  }
}

function move(button, step) {
  const buttons = [...button.closest("[data-mode]").querySelectorAll("button.play")];
  const next = buttons[buttons.indexOf(button) + step];
  if (next) {
    next.focus();
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.play");
  if (button && button === playing) {
    stop();
  } else if (button) {
    play(button);
  }
});

document.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const button = event.target.closest("button.play");
  if (event.key === "Escape") {
    stop();
  } else if (step && button && !event.altKey && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    move(button, step);
  }
});

player.addEventListener("ended", stop);

onlyBand.addEventListener("change", () => {
  if (playing) {
    play(playing);
  }
});

function showOutlines() {
  document.body.classList.toggle("no-outlines", !outlines.checked);
}

showOutlines(); // browsers may remember the switch
outlines.addEventListener("change", showOutlines);
