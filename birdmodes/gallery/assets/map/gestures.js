// Mouse, fingers and keys on the map.
//
// birdmodes.mapGestures(element, cloud, on)   on.tool() gives "move", "lasso" or "rectangle";
//   on.point(at), on.click(at), on.leave()    a place on the canvas is pointed at, clicked on, left
//   on.outline(polygon), on.select(polygon, isMore)   while drawing, and when it is closed
//   on.keyboard(action)                       "moved", "play", "toggle"; the map has been moved
"use strict";

(() => {
  globalThis.birdmodes ??= /** @type {Birdmodes} */ ({});

  const STILL = 4; // pixels that a click may move
  const WHEEL = 0.0016; // zoom per pixel of the wheel
  const STEP = 0.12; // of the canvas per arrow key
  const SMALL_STEP = 0.02;
  const ZOOM = 1.4;
  const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

  const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const distance = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  const rectangle = ([a, b], [c, d]) => [[a, b], [c, b], [c, d], [a, d]];

  function mapGestures(element, cloud, on) {
    const fingers = new Map();
    let drag = null;

    const placeOf = (event) => {
      const box = element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };

    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) {
        return;
      }
      // A finger that is lifted outside would never be seen to leave.
      element.setPointerCapture(event.pointerId);
      const at = placeOf(event);
      fingers.set(event.pointerId, at);
      const tool = event.shiftKey ? "rectangle" : on.tool();
      drag = fingers.size > 1 ? { pinch: [...fingers.values()].slice(0, 2) } : { tool, from: at, line: [at] };
      on.outline(null);
    });

    element.addEventListener("pointermove", (event) => {
      const at = placeOf(event);
      if (!fingers.has(event.pointerId)) {
        on.point(at);
        return;
      }
      const before = fingers.get(event.pointerId);
      fingers.set(event.pointerId, at);
      if (drag?.pinch) {
        pinch([...fingers.values()].slice(0, 2));
      } else if (drag) {
        follow(at, before);
      }
    });

    function pinch(now) {
      if (now.length === 2) {
        const [left, top] = middle(now);
        const [oldLeft, oldTop] = middle(drag.pinch);
        cloud.pan(left - oldLeft, top - oldTop);
        cloud.zoom(distance(now) / Math.max(distance(drag.pinch), 1), [left, top]);
        drag.pinch = now;
      }
    }

    function follow(at, before) {
      drag.moved ||= distance([at, drag.from]) > STILL;
      if (!drag.moved) {
        return;
      }
      if (drag.tool === "move") {
        // From where it began, so that nothing is lost by rounding.
        cloud.pan(at[0] - (drag.at ?? before)[0], at[1] - (drag.at ?? before)[1]);
        drag.at = at;
      } else if (drag.tool === "rectangle") {
        drag.line = rectangle(drag.from, at);
        on.outline(drag.line);
      } else {
        drag.line.push(at);
        on.outline(drag.line);
      }
    }

    function lift(event) {
      if (!fingers.delete(event.pointerId) || !drag) {
        return;
      }
      const done = drag;
      if (done.pinch && fingers.size) {
        drag = { tool: "none", from: [...fingers.values()][0], moved: true, line: [] };
        return;
      }
      drag = null;
      if (event.type === "pointercancel") {
        on.outline(null);
      } else if (!done.moved && !done.pinch) {
        on.click(done.from, event.ctrlKey || event.metaKey);
      } else if (done.line?.length > 2) {
        on.select(done.line, event.ctrlKey || event.metaKey);
      }
    }

    element.addEventListener("pointerup", lift);
    element.addEventListener("pointercancel", lift);
    element.addEventListener("pointerleave", (event) => {
      // A finger leaves when it is lifted: what it tapped on is still to be seen.
      if (event.pointerType === "mouse") {
        on.leave();
      }
    });

    element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 32 : 1;
        cloud.zoom(Math.exp(-event.deltaY * lines * WHEEL), placeOf(event));
      },
      { passive: false },
    );

    element.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const arrow = ARROWS[event.key];
      const step = event.shiftKey ? SMALL_STEP : STEP;
      if (arrow) {
        cloud.pan(arrow[0] * step * cloud.width, arrow[1] * step * cloud.height);
        on.keyboard("moved");
      } else if (event.key === "+" || event.key === "=") {
        cloud.zoom(ZOOM);
        on.keyboard("moved");
      } else if (event.key === "-") {
        cloud.zoom(1 / ZOOM);
        on.keyboard("moved");
      } else if (event.key === "0") {
        cloud.fit();
        on.keyboard("moved");
      } else if (event.key === "Enter") {
        on.keyboard("play");
      } else if (event.key === " ") {
        on.keyboard("toggle");
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  birdmodes.mapGestures = mapGestures;
  birdmodes.mapGestures.ZOOM = ZOOM;
})();
