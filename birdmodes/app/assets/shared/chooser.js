// Chooses a folder of this computer: birdmodes.app.chooser(element, word, onChosen).
"use strict";

{
  const { app } = birdmodes;
  const { make } = app;

  function chooser(element, word, onChosen) {
    const path = make("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: false,
      className: "chooser-path",
      "aria-label": "Path of the folder",
    });
    const trail = make("nav", { className: "chooser-trail", "aria-label": "Folders above" });
    const list = make("ul", { className: "chooser-list" });
    const said = make("p", { className: "note", role: "status" });
    const problem = make("p", { className: "danger", role: "alert" });
    const places = make("div", { className: "buttons chooser-places" });
    const use = make("button", { type: "button", className: "button primary" }, word);
    element.append(places, path, trail, list, said, make("p", { className: "buttons" }, use), problem);

    function button(name, target, label) {
      const one = make("button", { type: "button", className: "button quiet" }, name);
      if (label) {
        one.setAttribute("aria-label", label);
      }
      one.addEventListener("click", () => go(target, true));
      return one;
    }

    async function go(target, focus = false) {
      problem.textContent = "";
      let found;
      try {
        found = await app.ask(`${app.root}api/folders?path=${encodeURIComponent(target)}`);
      } catch (error) {
        problem.textContent = error.message;
        return;
      }
      path.value = found.path;
      app.fill(places, found.places.map(([name, place]) => button(name, place, "")));
      app.fill(
        trail,
        found.above.map(([name, place]) => button(name, place, "")),
      );
      app.fill(
        list,
        found.inside.map(([name, place]) => make("li", {}, button(name, place, ""))),
      );
      const here = found.recordings ? `${app.count(found.recordings, "recording")} here` : "no recordings right here";
      const inside = found.inside.length ? `${app.count(found.inside.length, "folder")} in it` : "no folders in it";
      said.textContent = `${here}, ${inside}${found.more ? " are listed; there are more" : ""}. Subfolders are searched too.`;
      if (focus) {
        (list.querySelector("button") ?? use).focus();
      }
    }

    path.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        go(path.value);
      }
    });
    use.addEventListener("click", async () => {
      problem.textContent = "";
      use.disabled = true;
      try {
        await onChosen(path.value);
      } catch (error) {
        problem.textContent = error.message;
      } finally {
        use.disabled = false;
      }
    });
    go("");
  }

  app.chooser = chooser;
}
