// Shows the work that is going on for a project, as the server tells it, and stops it or goes on.
"use strict";

{
  const { app } = birdmodes;
  const part = document.getElementById("work");
  const stop = document.getElementById("work-stop");
  const goOn = document.getElementById("work-on");
  const next = document.getElementById("work-next");
  const log = document.getElementById("work-log");
  const warnings = document.getElementById("work-warnings");
  const meter = document.getElementById("meter");
  const bar = document.getElementById("work-bar");

  const WORDS = {
    running: "is going on; you may close this page",
    done: "done",
    failed: "failed: see below",
    stopped: "stopped; nothing is lost",
    interrupted: "was interrupted: the program was killed, or the computer went off; nothing is lost",
  };
  const NAMES = {
    segment: "Find the sounds",
    cluster: "Find the modes",
    gallery: "Make the pages",
    "review apply": "Apply corrections",
    "review undo": "Take corrections back",
    export: "Export",
    assign: "Assign new recordings",
    annotate: "Annotate new recordings",
    evaluate: "Evaluate",
  };
  const LONG_AGO_S = 600;
  let before = "";
  let stopping = false;

  function duration(seconds) {
    const whole = Math.round(seconds);
    if (whole < 60) {
      return `${whole} s`;
    }
    const minutes = Math.floor(whole / 60);
    return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  function mark(state, number) {
    if (number < state.at) {
      return state.codes[number] ? "done, something is missing" : "done";
    }
    if (number > state.at) {
      return "waits";
    }
    return { running: "now", failed: "failed", stopped: "stopped", interrupted: "interrupted" }[state.status] ?? "waits";
  }

  function step(state, one, number) {
    const said = mark(state, number);
    const kind = { done: "good", now: "caution", failed: "danger" }[said] ?? "";
    const command = app.make("code");
    app.showCommands(command, one.command);
    return app.make(
      "li",
      said === "now" ? { "aria-current": "step" } : {},
      app.make("strong", {}, NAMES[one.name] ?? one.name),
      " ",
      app.make("span", { className: `tag ${kind}` }, said),
      command,
    );
  }

  function showProgress(state) {
    const { progress } = state;
    meter.hidden = state.status !== "running";
    if (meter.hidden) {
      return;
    }
    if (progress?.total) {
      bar.max = progress.total;
      bar.value = progress.done;
    } else {
      bar.removeAttribute("value");
    }
    const now = document.getElementById("work-now");
    if (!progress) {
      now.textContent = "working …";
      return;
    }
    const of = progress.total ? ` of ${progress.total.toLocaleString("en")}` : "";
    const left = progress.left ? `, about ${progress.left} left` : "";
    const text = progress.text ? ` (${progress.text})` : "";
    now.textContent = `${progress.what}: ${progress.done.toLocaleString("en")}${of}${left}${text}`;
  }

  function show(state) {
    const long = state.status === "done" && Date.now() / 1000 - state.ended > LONG_AGO_S;
    part.hidden = state.status === "none" || (long && !document.body.matches(".modes-page"));
    if (part.hidden) {
      return;
    }
    if (state.status === "damaged") {
      document.getElementById("work-state").textContent = state.problem;
      return;
    }
    const ended = state.ended ? `, in ${duration(state.ended - state.started)}` : "";
    stopping &&= state.status === "running";
    const word = stopping ? "is being stopped …" : WORDS[state.status];
    const text = state.status === "done" ? WORDS.done + ended : word;
    const line = document.getElementById("work-state");
    if (line.textContent !== text) {
      line.textContent = text; // read out only when it changes
    }
    app.fill(document.getElementById("work-steps"), state.steps.map((one, number) => step(state, one, number)));
    showProgress(state);
    stop.hidden = state.status !== "running";
    for (const button of document.querySelectorAll("#start-all, form[data-command] [type=submit]")) {
      button.disabled = state.status === "running";
    }
    goOn.hidden = !state.can_go_on;
    next.hidden = document.body.matches(".gallery-page") || state.status !== "done" || !state.steps.some((one) => one.name === "gallery");
    app.fill(warnings, state.warnings.map((one) => app.make("li", {}, one)));
    warnings.hidden = state.warnings.length === 0;
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 5;
    log.textContent = state.log;
    if (atEnd) {
      log.scrollTop = log.scrollHeight;
    }
    // Folded away again only by hand.
    if (state.status !== before && (state.status !== "done" || document.body.matches(".modes-page"))) {
      document.getElementById("work-more").open = state.status !== "stopped";
    }
    if (before === "running" && state.status === "done") {
      document.dispatchEvent(new CustomEvent("birdmodes:done", { detail: state }));
    }
    before = state.status;
  }

  async function tell(button, address) {
    button.disabled = true;
    try {
      show(await app.post(`${app.project}api/${address}`));
    } catch (error) {
      document.getElementById("work-state").textContent = error.message;
    } finally {
      button.disabled = false;
    }
  }

  stop.addEventListener("click", () => {
    stopping = true;
    document.getElementById("work-state").textContent = "is being stopped …";
    tell(stop, "stop");
  });
  goOn.addEventListener("click", () => tell(goOn, "go-on"));

  // What was made is shown by the page that lists it.
  const LISTING = [".gallery-page", ".export-page", ".new-page", ".evaluate-page"];
  document.addEventListener("birdmodes:done", () => {
    if (document.body.matches(LISTING.join(","))) {
      location.reload();
    }
  });

  app.showWork = show;

  // Browsers open only six lines to a server, so that tabs nobody looks at must not hold one.
  let events = null;

  function listen() {
    if (document.hidden) {
      events?.close();
      events = null;
    } else if (events === null) {
      events = new EventSource(`${app.project}api/events`);
      events.addEventListener("message", (event) => show(JSON.parse(event.data)));
      events.addEventListener("error", () => {
        if (!part.hidden) {
          document.getElementById("work-state").textContent = "birdmodes does not answer: is it still open? The work goes on.";
        }
        before = "";
      });
    }
  }

  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => {
    events?.close();
    events = null;
  });
  addEventListener("pageshow", listen);
  listen();
}
