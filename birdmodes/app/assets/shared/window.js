// What every page of the window needs: asking the server, making elements, the theme, copying.
// birdmodes.app: {root, project, ask, post, make, fill, count, showCommands}.
"use strict";

globalThis.birdmodes ??= /** @type {any} */ ({});

{
  const page = document.documentElement;

  // Gives what the server answers; throws an Error with its words if it does not do what was asked.
  async function ask(address, options = {}) {
    let answer;
    try {
      answer = await fetch(address, { cache: "no-store", ...options });
    } catch {
      throw new Error("birdmodes does not answer: is its window in the terminal still open?");
    }
    const content = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      throw new Error(content.problem ?? `the answer was ${answer.status}`);
    }
    return content;
  }

  function post(address, content = {}) {
    return ask(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(content),
    });
  }

  // An element with properties and children; texts are texts.
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) {
        element[name] = value;
      } else {
        element.setAttribute(name, value);
      }
    }
    element.append(...children);
    return element;
  }

  function fill(element, children) {
    element.replaceChildren(...children);
  }

  const count = (number, noun) => {
    const many = noun.endsWith("s") ? noun : `${noun}s`;
    return `${number.toLocaleString("en")} ${number === 1 ? noun : many}`;
  };

  // A command for each line; lines break before an option rather than behind its "--".
  function showCommands(element, commands) {
    const option = (word) => (word.startsWith("--") ? make("span", { className: "word" }, word) : word);
    const words = (line) => line.split(/ (?=--)/).map(option);
    const between = (parts, sign) => parts.flatMap((part, n) => (n ? [sign, part] : [part]));
    const lines = commands.trim().split("\n").map((line) => between(words(line), " "));
    element.replaceChildren(...between(lines, ["\n"]).flat());
  }

  birdmodes.app = {
    root: page.dataset.root,
    project: page.dataset.project ?? "",
    ask,
    post,
    make,
    fill,
    count,
    showCommands,
  };

  for (const command of document.querySelectorAll("[data-command-text]")) {
    showCommands(command, command.textContent);
  }

  // The theme switch; what is chosen holds for the galleries as well.
  const choice = document.getElementById("theme");

  function showTheme(theme) {
    if (theme === "light" || theme === "dark") {
      page.dataset.theme = theme;
    } else {
      delete page.dataset.theme;
    }
    choice.querySelector(`[value="${page.dataset.theme ?? "system"}"]`).checked = true;
  }

  showTheme(page.dataset.theme);
  choice.hidden = false;
  choice.addEventListener("change", (event) => {
    showTheme(event.target.value);
    try {
      localStorage.setItem("birdmodes-theme", event.target.value);
    } catch {
      // Not kept, but shown.
    }
  });

  // On narrow screens the pages' names are pushed sideways.
  const ways = document.querySelector("header nav");
  ways.addEventListener("scroll", () => ways.classList.toggle("pushed", ways.scrollLeft > 0));
  ways.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  async function copy(button) {
    const command = button.closest(".same").querySelector("[data-command-text]");
    const label = button.firstChild;
    try {
      await navigator.clipboard.writeText(`${command.textContent.trim()}\n`);
      label.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(command);
      label.textContent = "Selected: Ctrl+C";
    }
    setTimeout(() => (label.textContent = "Copy"), 2000);
  }

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-copy]");
    if (button) {
      copy(button);
    }
  });
}
