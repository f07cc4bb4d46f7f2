// Cells that were copied from a spreadsheet, put into the table of species.
// birdmodes.app.pasted(text, rows, at, places) changes `rows`; gives how many, and what was not found.
"use strict";

{
  const { app } = birdmodes;

  // Cells as spreadsheets put them on the clipboard: tabs and lines; quotes around those with either.
  function cells(text) {
    const rows = [[""]];
    let quoted = false;
    for (let at = 0; at < text.length; at++) {
      const letter = text[at];
      const row = rows[rows.length - 1];
      if (quoted) {
        if (letter === '"' && text[at + 1] === '"') {
          row[row.length - 1] += '"';
          at++;
        } else if (letter === '"') {
          quoted = false;
        } else {
          row[row.length - 1] += letter;
        }
      } else if (letter === '"' && row[row.length - 1] === "") {
        quoted = true;
      } else if (letter === "\t") {
        row.push("");
      } else if (letter === "\n") {
        rows.push([""]);
      } else if (letter !== "\r") {
        row[row.length - 1] += letter;
      }
    }
    if (rows[rows.length - 1].every((cell) => cell === "")) {
      rows.pop();
    }
    return rows;
  }

  const oneLine = (cell) => cell.split("\n").map((part) => part.trim()).filter(Boolean).join(";");

  const stem = (name) => name.slice(name.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "").toLowerCase();

  // Names of recordings to rows: in full, else what comes last, without its ending, if that is clear.
  function finder(rows) {
    const full = new Map(rows.map((row, place) => [row.name, place]));
    const short = new Map();
    rows.forEach((row, place) => {
      const key = stem(row.name);
      short.set(key, short.has(key) ? null : place);
    });
    return (name) => full.get(name) ?? full.get(name.replaceAll("\\", "/")) ?? short.get(stem(name.replaceAll("\\", "/"))) ?? null;
  }

  function pasted(text, rows, at, places) {
    const table = cells(text);
    const missing = [];
    let changed = 0;
    if (table.some((row) => row.length > 1)) {
      const find = finder(rows);
      const together = new Map(); // a recording may have several rows
      for (const [number, [name, ...species]] of table.entries()) {
        const place = find(name.trim());
        if (place !== null) {
          const more = species.map(oneLine).filter(Boolean);
          together.set(place, [...(together.get(place) ?? []), ...more]);
        } else if (name.trim() && number > 0) {
          // the first row may be the names of the columns
          missing.push(name.trim());
        }
      }
      for (const [place, species] of together) {
        rows[place].species = species.length > 0 ? [...new Set(species)].join(";") : "none";
        changed++;
      }
      return { changed, missing };
    }
    table.forEach(([cell], number) => {
      const place = places[at + number];
      if (place === undefined) {
        missing.push(cell);
      } else {
        rows[place].species = oneLine(cell);
        changed++;
      }
    });
    return { changed, missing };
  }

  app.finder = finder;
  app.pasted = pasted;
}
