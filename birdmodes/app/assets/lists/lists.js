// Species lists: which label files are used, and the table to fill in.
"use strict";

{
  const { app } = birdmodes;
  const { make } = app;
  const PAGE = 100;
  const el = (id) => document.getElementById(id);

  const state = {
    rows: [], // {name, species, known}; known: whether there is such a recording
    places: [], // of the rows that are looked for
    first: 0,
    revision: "",
    path: "",
    unsaved: false,
  };

  // --- the table ---------------------------------------------------------------------------------

  function fillRows(found) {
    state.rows = found.recordings.map((name) => ({ name, species: "", known: true }));
    const find = app.finder(state.rows);
    for (const [name, species] of Object.entries(found.table.species)) {
      const place = find(name);
      if (place !== null && state.rows[place].species === "") {
        state.rows[place].species = species;
      } else {
        state.rows.push({ name, species, known: false });
      }
    }
    state.revision = found.table.revision;
    state.path = found.table.path;
  }

  function sift() {
    const wanted = el("find").value.trim().toLowerCase();
    const onlyEmpty = el("empty").checked;
    const fits = (row) =>
      (!wanted || row.name.toLowerCase().includes(wanted) || row.species.toLowerCase().includes(wanted)) &&
      (!onlyEmpty || row.species.trim() === "");
    state.places = state.rows.flatMap((row, place) => (fits(row) ? [place] : []));
    state.first = 0;
    draw();
  }

  function cell(row, at) {
    const input = make("input", {
      type: "text",
      value: row.species,
      autocomplete: "off",
      spellcheck: false,
      "aria-label": `Species in ${row.name}`,
    });
    input.dataset.at = String(at);
    return input;
  }

  function draw() {
    const shown = state.places.slice(state.first, state.first + PAGE);
    app.fill(
      el("sheet"),
      shown.map((place, number) => {
        const row = state.rows[place];
        const name = make("th", { scope: "row" }, row.name);
        if (!row.known) {
          name.append(" ", make("span", { className: "tag caution" }, "no such recording"));
        }
        return make("tr", {}, name, make("td", {}, cell(row, state.first + number)));
      }),
    );
    const last = state.first + shown.length;
    el("rows-shown").textContent = shown.length
      ? `${(state.first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${state.places.length.toLocaleString("en")}`
      : "no rows";
    el("before").disabled = state.first === 0;
    el("after").disabled = last >= state.places.length;
    countFilled();
  }

  function countFilled() {
    const filled = state.rows.filter((row) => row.species.trim()).length;
    el("filled").textContent = `${filled.toLocaleString("en")} of ${app.count(state.rows.length, "recording")} filled in${state.unsaved ? ", not saved yet" : ""}`;
  }

  const sheet = el("sheet");
  sheet.addEventListener("input", (event) => {
    state.rows[state.places[Number(event.target.dataset.at)]].species = event.target.value;
    state.unsaved = true;
    countFilled();
  });
  sheet.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, Enter: 1, ArrowUp: -1 }[event.key];
    if (step && event.target.matches("input")) {
      event.preventDefault();
      const at = Number(event.target.dataset.at) + step;
      sheet.querySelector(`[data-at="${at}"]`)?.focus();
    }
  });
  sheet.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[\n\t]/.test(text.trim())) {
      return; // a word: as everywhere
    }
    event.preventDefault();
    const { changed, missing } = app.pasted(text, state.rows, Number(event.target.dataset.at), state.places);
    state.unsaved = true;
    draw();
    const some = missing.slice(0, 3).join(", ");
    el("saved").textContent =
      `${app.count(changed, "row")} filled in` +
      (missing.length ? `; not found: ${some}${missing.length > 3 ? ` and ${missing.length - 3} more` : ""}` : "");
  });
  el("find").addEventListener("input", sift);
  el("empty").addEventListener("change", sift);
  const turn = (by) => () => {
    state.first = Math.max(0, state.first + by);
    draw();
  };
  el("before").addEventListener("click", turn(-PAGE));
  el("after").addEventListener("click", turn(PAGE));

  el("save").addEventListener("click", async () => {
    el("problem").textContent = "";
    const rows = state.rows.filter((row) => row.species.trim()).map((row) => [row.name, row.species]);
    if (rows.length === 0 && state.revision === "") {
      el("problem").textContent = "Nothing is filled in yet.";
      return;
    }
    try {
      const saved = await app.post(`${app.project}api/lists/save`, { revision: state.revision, rows });
      state.revision = saved.revision;
      state.unsaved = false;
      countFilled();
      // Told when the list of files has it: who then asks what is read from them gets an answer.
      await load(false);
      el("saved").textContent = `Saved: ${app.count(saved.saved, "recording")} with lists. It is used from now on.`;
    } catch (error) {
      el("problem").textContent = error.message;
    }
  });
  addEventListener("beforeunload", (event) => state.unsaved && event.preventDefault());

  // --- label files -------------------------------------------------------------------------------

  function tick(path, words, ticked) {
    const box = make("input", { type: "checkbox", value: path, checked: ticked, autocomplete: "off" });
    return make("label", { className: "file" }, box, " ", make("span", {}, path), " ", make("span", { className: "tag" }, words));
  }

  function showFiles(found) {
    const chosen = new Set(found.chosen ?? found.files.filter((file) => file.path === found.table.path).map((file) => file.path));
    const listed = found.files.map((file) => tick(file.path, `${file.format}, ${app.count(file.rows, "label")}`, chosen.has(file.path)));
    const known = new Set(found.files.map((file) => file.path));
    const others = [...chosen].filter((path) => !known.has(path)).map((path) => tick(path, "named by you", true));
    app.fill(el("files"), [...listed, ...others]);
    if (listed.length + others.length === 0) {
      el("files").append(make("p", {}, "None lies beside the recordings."));
    }
    const used = chosen.size ? `${app.count(chosen.size, "file")} in use.` : "No file is in use.";
    el("said").textContent = found.chosen === null && chosen.size === 0 ? "Nothing is chosen yet." : used;
  }

  const ticked = () => [...el("files").querySelectorAll("input:checked")].map((box) => box.value);

  async function choose(files) {
    try {
      await app.post(`${app.project}api/lists/choose`, { files });
      el("said").textContent = files.length ? `${app.count(files.length, "file")} will be used.` : "No lists will be used: sounds get no names.";
    } catch (error) {
      el("said").textContent = error.message;
    }
  }

  async function check() {
    el("said").textContent = "Reading …";
    try {
      const { command, found } = await app.post(`${app.project}api/lists/check`, { files: ticked() });
      el("said").textContent = "";
      el("found").hidden = false;
      app.showCommands(el("found").querySelector("[data-command-text]"), command);
      const fit = found.fit ?? { recordings: 0, labelled: 0, warnings: [] };
      el("found-fit").textContent = `${app.count(fit.recordings, "recording")}, ${fit.labelled.toLocaleString("en")} of them labelled, ${app.count(found.species.length, "species")}`;
      app.fill(el("found-warnings"), [...fit.warnings, ...found.notes, ...found.refused].map((line) => make("li", {}, line)));
      app.fill(
        el("found-species"),
        found.species.map((one) =>
          make("tr", {}, make("th", { scope: "row" }, one.name), make("td", {}, String(one.labels)), make("td", {}, String(one.recordings))),
        ),
      );
    } catch (error) {
      el("said").textContent = error.message;
    }
  }

  el("use").addEventListener("click", () => choose(ticked()));
  el("none").addEventListener("click", () => {
    for (const box of el("files").querySelectorAll("input")) {
      box.checked = false;
    }
    choose([]);
  });
  el("check").addEventListener("click", check);
  el("add").addEventListener("click", () => {
    const path = el("other").value.trim();
    if (path) {
      el("files").append(tick(path, "named by you", true));
      el("other").value = "";
    }
  });

  async function load(all) {
    try {
      const found = await app.ask(`${app.project}api/lists`);
      showFiles(found);
      if (all) {
        fillRows(found);
        sift();
      }
      el("table-path").textContent = `Kept in ${state.path}`;
      el("looking").textContent = "";
      el("files-part").hidden = false;
      el("table-part").hidden = false;
    } catch (error) {
      el("looking").textContent = error.message;
    }
  }

  load(true);
}
