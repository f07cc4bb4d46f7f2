// Shows what is in the folder of recordings, as far as it has been looked at.
"use strict";

{
  const { app } = birdmodes;
  const { make } = app;
  const AGAIN_MS = 700;
  const MOST_ROWS = 40;

  const put = (id, text) => (document.getElementById(id).textContent = text);

  function rows(id, counts) {
    const body = document.getElementById(id);
    const shown = counts.slice(0, MOST_ROWS);
    const row = ([name, count]) =>
      make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, count.toLocaleString("en")));
    const more = counts.length - shown.length;
    app.fill(body, [...shown.map(row), ...(more > 0 ? [row(["… and more", more])] : [])]);
  }

  function hours(seconds) {
    if (seconds < 3600) {
      return `${(seconds / 60).toFixed(1)} min`;
    }
    return `${(seconds / 3600).toLocaleString("en", { maximumFractionDigits: 1 })} hours`;
  }

  function show(found) {
    document.getElementById("totals").hidden = Boolean(found.problem);
    document.getElementById("tables").hidden = Boolean(found.problem);
    const looked = `Looked at ${found.looked_at.toLocaleString("en")} of ${app.count(found.recordings, "recording")} …`;
    put("looking", found.problem || (found.complete ? "" : looked));
    const days = Object.entries(found.days).sort();
    const sites = Object.entries(found.sites).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    put("n-recordings", found.recordings.toLocaleString("en"));
    put("hours", hours(found.seconds));
    put("dates", days.length === 0 ? "not known" : `${days[0][0]} to ${days[days.length - 1][0]}`);
    if (days.length === 1) {
      put("dates", days[0][0]);
    }
    put("n-sites", sites.filter(([name]) => name).length.toLocaleString("en"));
    put("n-unread", found.n_unread.toLocaleString("en"));
    rows("sites", sites.map(([name, count]) => [name || "not known", count]));
    rows("days", [...days, ...(found.undated ? [["not known", found.undated]] : [])]);
    const part = document.getElementById("unread-part");
    part.hidden = found.n_unread === 0;
    const list = found.unread.map(([, reason]) => make("li", {}, reason));
    const more = found.n_unread - found.unread.length;
    app.fill(document.getElementById("unread"), more > 0 ? [...list, make("li", {}, `… and ${more} more`)] : list);
  }

  async function look(anew) {
    let found;
    try {
      found = await app.ask(`${app.project}api/contents${anew ? "?anew=1" : ""}`);
    } catch (error) {
      put("looking", error.message);
      return;
    }
    if (found.recordings !== undefined) {
      show(found);
    } else {
      put("looking", found.problem);
    }
    if (!found.complete) {
      setTimeout(() => look(false), AGAIN_MS);
    }
  }

  document.getElementById("anew").addEventListener("click", () => look(true));
  look(false);
}
