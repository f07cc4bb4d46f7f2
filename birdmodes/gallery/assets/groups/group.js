// The recordings of a group: plays the clip of each, one at a time.
"use strict";

(() => {
  const members = document.getElementById("members");
  const problem = document.getElementById("clip-problem");
  const speed = document.getElementById("speed"); // of the page's toolbar, if it has one

  let playing = null; // the button whose clip is on or on its way
  let attempt = 0;

  function showStopped() {
    playing?.setAttribute("aria-pressed", "false");
    playing = null;
  }

  function stop() {
    attempt += 1; // what is still being loaded will not begin
    birdmodes.player.stop();
    showStopped();
  }

  async function play(button) {
    stop();
    problem.textContent = "";
    playing = button;
    button.setAttribute("aria-pressed", "true");
    const mine = attempt;
    let clip;
    try {
      clip = await birdmodes.loadClip(button.dataset.clip);
    } catch (error) {
      if (mine === attempt) {
        showStopped();
        problem.textContent = error.message;
      }
      return;
    }
    if (mine !== attempt) {
      return;
    }
    birdmodes.player.play({
      clip,
      from_s: clip.start_s,
      to_s: clip.end_s,
      rate: Number(speed?.querySelector(":checked").value ?? 1),
      onEnd: () => {
        if (mine === attempt) {
          showStopped();
        }
      },
      onProblem: (text) => {
        problem.textContent = text;
      },
    });
  }

  members.addEventListener("click", (event) => {
    const button = event.target.closest(".clip-play");
    if (button && button === playing) {
      stop();
    } else if (button) {
      play(button);
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      stop();
    }
  });
})();
