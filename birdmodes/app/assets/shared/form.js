// Forms of commands: what is entered, the command that does the same, and its start.
"use strict";

{
  const { app } = birdmodes;
  const WAIT_MS = 250;

  function valueOf(control) {
    if (control.dataset.kind === "switch") {
      return control.checked || null;
    }
    const text = control.value.trim();
    if (control.dataset.kind === "several") {
      const lines = text.split("\n").map((line) => line.trim());
      return lines.some(Boolean) ? lines.filter(Boolean) : null;
    }
    return text === "" || text === (control.dataset.default ?? "") ? null : text;
  }

  function stepOf(form) {
    const values = {};
    for (const control of form.querySelectorAll("[data-flag]")) {
      const value = valueOf(control);
      if (value !== null) {
        values[control.dataset.flag] = value;
      }
    }
    const asked = form.querySelector("[data-asked]");
    const places = asked?.dataset.folder ? [asked.dataset.folder] : [];
    return { command: form.dataset.command, values, places };
  }

  // With what has to follow: pages show corrections only when they are made again.
  function stepsOf(form) {
    const step = stepOf(form);
    const { then } = form.dataset;
    const more = then && !step.values["--dry-run"] ? [{ command: then, values: {} }] : [];
    return [step, ...more];
  }

  // A part of the page that shows the command of some forms, and starts it.
  class Start {
    constructor(part, forms, button) {
      this.part = part;
      this.forms = forms;
      this.text = part.querySelector("[data-command-text]");
      this.problem = part.querySelector("[data-problem]");
      this.timer = 0;
      this.asked = 0;
      for (const form of forms) {
        form.addEventListener("input", () => this.soon());
        form.addEventListener("birdmodes:chosen", () => this.show());
      }
      button.addEventListener("click", (event) => {
        event.preventDefault();
        this.start();
      });
      button.disabled = false; // before there was nobody to hear of a click
      this.show();
    }

    get steps() {
      return { steps: this.forms.flatMap(stepsOf) };
    }

    soon() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.show(), WAIT_MS);
    }

    async show() {
      const asked = ++this.asked;
      let commands = "";
      let problem = "";
      try {
        const answer = await app.post(`${app.project}api/command`, this.steps);
        commands = answer.commands.join("\n");
        ({ problem } = answer);
      } catch (error) {
        problem = error.message;
      }
      if (asked === this.asked) {
        app.showCommands(this.text, commands || `(${problem})`);
        this.problem.textContent = "";
      }
    }

    async start() {
      this.problem.textContent = "";
      try {
        app.showWork(await app.post(`${app.project}api/start`, this.steps));
        document.getElementById("work").scrollIntoView({ block: "nearest" });
      } catch (error) {
        this.problem.textContent = error.message;
      }
    }
  }

  const all = document.querySelector("[data-all]");
  const forms = [...document.querySelectorAll("form[data-command]")];

  for (const form of forms) {
    form.addEventListener("submit", (event) => event.preventDefault());
    const choose = form.querySelector("[data-choose]");
    choose?.addEventListener("click", () => {
      const box = form.querySelector("[data-chooser]");
      const asked = form.querySelector("[data-asked]");
      if (!box.firstChild) {
        app.chooser(box, "Use this folder", (folder) => {
          asked.dataset.folder = folder;
          form.querySelector("[data-chosen]").textContent = folder;
          box.hidden = true;
          choose.focus();
          form.dispatchEvent(new Event("birdmodes:chosen"));
        });
      }
      box.hidden = !box.hidden;
    });
    const button = form.querySelector("[type=submit]");
    if (button) {
      new Start(form, [form], button);
    }
  }
  if (all) {
    new Start(all, forms, document.getElementById("start-all"));
  }
}
