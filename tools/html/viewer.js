"use strict";
// Draws the plots of a page from the data in its element #chart-data: panels on one axis of time, which zoom together.
(function () {
  const source = document.getElementById("chart-data");
  if (!source) {
    document.documentElement.dataset.viewer = "none";
    return;
  }
  const chart = JSON.parse(source.textContent);
  const place = document.getElementById("chart");
  const whole = { from: 0, to: Math.max(chart.span, 1e-6) };
  const view = { from: whole.from, to: whole.to };
  const right = 12, stripHeight = 22, panelTop = 4, font = "12px sans-serif", bandInk = "#222";
  let left = 70;
  let cursor = null, drag = null;

  // Each bin is the two extremes of its time, in the order in which they came; NaN where it has no value. They are floats,
  // in steps of `scale` above `base`, so that what changes is exact also in large numbers.
  function values(base64, base, scale) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const data = new DataView(bytes.buffer), out = new Float64Array(bytes.length / 4);
    for (let i = 0; i < out.length; i++) out[i] = base + scale * data.getFloat32(4 * i, true);
    return out;
  }

  function element(name, parent, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  // ---- times and numbers

  function pad(number, digits) {
    return String(number).padStart(digits, "0");
  }

  function dayText(seconds) {
    return new Date((chart.start + Math.floor(chart.fraction + seconds) + offsetAt(seconds)) * 1000).toISOString().slice(0, 10);
  }

  // Of a capture that goes over midnight, with the date.
  function momentText(seconds, step) {
    const isOneDay = chart.clock || dayText(whole.from) === dayText(whole.to);
    return (isOneDay || step >= 86400 ? "" : dayText(seconds) + " ") + clockText(seconds, step);
  }

  function clockText(seconds, step) {
    if (chart.clock) return number(chart.start + chart.fraction + seconds, step);
    const digits = step < 1 ? Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)) : 0, unit = Math.pow(10, digits);
    const rounded = Math.round((chart.fraction + seconds) * unit), past = Math.floor(rounded / unit);
    const date = new Date((chart.start + past + offsetAt(seconds)) * 1000);
    if (step >= 86400) return date.toISOString().slice(0, 10);
    let text = pad(date.getUTCHours(), 2) + ":" + pad(date.getUTCMinutes(), 2);
    if (step < 60) text += ":" + pad(date.getUTCSeconds(), 2);
    return digits ? text + "." + pad(rounded - past * unit, digits) : text;
  }

  // As many digits as tell values apart that are a step away.
  function number(value, step) {
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)), size = Math.max(Math.abs(value), step);
    const digits = Math.ceil(Math.log10(size) - Math.floor(Math.log10(step) + 1e-9) + 1e-9);
    return decimals > 8 || size >= 1e12 ? String(Number(value.toPrecision(Math.min(Math.max(digits, 1), 17)))) : value.toFixed(Math.min(decimals, 20));
  }

  // Offsets from UTC change with the summer time: each holds from its time on.
  function offsetAt(seconds) {
    return chart.offsets.reduce(function (offset, change) { return seconds >= change[0] ? change[1] : offset; }, chart.offsets[0][1]);
  }

  function roundStep(span, room) {
    const least = span / Math.max(room, 1), power = Math.pow(10, Math.floor(Math.log10(least)));
    return [1, 2, 5, 10].find(function (factor) { return factor * power >= least * (1 - 1e-9); }) * power;
  }

  function timeStep(span, room) {
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];
    const least = span / Math.max(room, 1);
    if (chart.clock || least <= 0.5) return roundStep(span, room);
    return steps.find(function (step) { return step >= least; }) || 604800 * Math.ceil(least / 604800);
  }

  // ---- elements

  function colours() {
    const style = getComputedStyle(document.documentElement);
    const of = function (name) { return style.getPropertyValue(name).trim(); };
    return { ink: of("--ink"), faint: of("--faint"), grid: of("--grid"), gap: of("--gap"), stop: of("--stop"), paper: of("--paper"), band: of("--band") };
  }

  function makeCanvas(parent, height, label) {
    const canvas = element("canvas", parent);
    canvas.style.height = height + "px";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label);
    return canvas;
  }

  const tools = element("div", place);
  tools.className = "tools";
  const range = element("output", null);
  [["whole", function () { zoom(whole.from, whole.to); }],
   ["+", function () { scale(0.5, middle()); }], ["\u2212", function () { scale(2, middle()); }],
   ["\u2190", function () { shift(-0.25); }], ["\u2192", function () { shift(0.25); }]].forEach(function (row) {
    const button = element("button", tools, row[0]);
    button.type = "button";
    button.addEventListener("click", row[1]);
  });
  tools.appendChild(range);

  const strips = chart.strips.map(function (strip) {
    return { data: strip, canvas: makeCanvas(place, stripHeight, strip.caption) };
  });
  const panels = chart.panels.map(function (panel, index) {
    const heading = element("div", place);
    heading.className = "legend";
    element("strong", heading, panel.caption);
    panel.curves.forEach(function (curve) {
      curve.values = values(curve.data, curve.base, curve.scale);
      curve.breaks = new Set(curve.breaks);
      curve.button = element("button", heading);
      curve.button.type = "button";
      curve.button.setAttribute("aria-pressed", "true");
      if (curve.name) element("i", curve.button).style.background = curve.colour;
      element("span", curve.button, curve.name);
      curve.output = element("output", curve.button);
      curve.button.addEventListener("click", function () {
        curve.hidden = !curve.hidden;
        curve.button.setAttribute("aria-pressed", String(!curve.hidden));
        draw();
      });
    });
    const isLast = index === chart.panels.length - 1;
    return { data: panel, canvas: makeCanvas(place, isLast ? 172 : 140, panel.caption), bottom: isLast ? 32 : 6 };
  });
  const surfaces = strips.concat(panels);

  // ---- drawing

  function begin(surface) {
    const canvas = surface.canvas, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = font;
    return { pen: pen, width: width, height: height };
  }

  function xOf(seconds, width) {
    return left + (seconds - view.from) / (view.to - view.from) * (width - left - right);
  }

  function inside(x, width) {
    return Math.min(Math.max(x, left), width - right);
  }

  function drawGaps(pen, stream, width, top, height, ink) {
    pen.fillStyle = ink.gap;
    chart.streams[stream].gaps.forEach(function (gap) {
      const from = inside(xOf(gap[0], width), width), to = inside(xOf(gap[1], width), width);
      if (gap[1] >= view.from && gap[0] <= view.to) pen.fillRect(from, top, Math.max(to - from, 1), height);
    });
  }

  function drawMarks(pen, width, top, height, ink, labels) {
    pen.strokeStyle = pen.fillStyle = ink.stop;
    pen.setLineDash([4, 3]);
    let free = -Infinity;
    chart.stops.forEach(function (stop) {
      if (stop[0] < view.from || stop[0] > view.to) return;
      const x = xOf(stop[0], width);
      line(pen, x, top, x, top + height);
      if (labels && x > free) {
        const size = pen.measureText(stop[1]).width;
        pen.textAlign = "left";
        pen.fillText(stop[1], Math.min(x + 4, width - right - size), top + 14);
        free = x + size + 8;
      }
    });
    pen.setLineDash([]);
    if (cursor !== null && cursor >= view.from && cursor <= view.to) {
      pen.strokeStyle = ink.ink;
      line(pen, xOf(cursor, width), top, xOf(cursor, width), top + height);
    }
    if (drag && drag.to !== null) {
      pen.fillStyle = ink.ink;
      pen.globalAlpha = 0.12;
      const a = xOf(drag.from, width), b = xOf(drag.to, width);
      pen.fillRect(Math.min(a, b), top, Math.abs(b - a), height);
      pen.globalAlpha = 1;
    }
  }

  function line(pen, x1, y1, x2, y2) {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }

  function drawStrip(surface, ink) {
    const on = begin(surface), pen = on.pen, width = on.width;
    pen.fillStyle = ink.ink;
    pen.textAlign = "left";
    surface.data.bands.forEach(function (band) {
      if (band[1] < view.from || band[0] > view.to) return;
      const from = inside(xOf(band[0], width), width), to = inside(xOf(band[1], width), width);
      pen.fillStyle = band[3];
      pen.fillRect(from, 1, Math.max(to - from, 1), stripHeight - 3);
      pen.fillStyle = bandInk;
      if (pen.measureText(band[2]).width + 8 < to - from) pen.fillText(band[2], from + 4, 15);
    });
    drawGaps(pen, surface.data.stream, width, 1, stripHeight - 3, ink);
    pen.fillStyle = ink.faint;
    pen.clearRect(0, 0, left, stripHeight);
    pen.textAlign = "right";
    pen.fillText(surface.data.caption, left - 6, 15, left - 8);
    drawMarks(pen, width, 0, stripHeight, ink, false);
  }

  // The bins of the view, with one more on each side.
  function binsOf(curve) {
    const first = Math.floor((view.from - curve.start) / curve.width) - 1;
    const last = Math.ceil((view.to - curve.start) / curve.width) + 1;
    return { from: Math.max(first, 0), to: Math.min(last, curve.values.length / 2) };
  }

  function extremes(panel) {
    let low = Infinity, high = -Infinity;
    panel.curves.forEach(function (curve) {
      const bins = binsOf(curve);
      for (let i = 2 * bins.from; !curve.hidden && i < 2 * bins.to; i++) {
        const value = curve.values[i];
        if (value < low) low = value;
        if (value > high) high = value;
      }
    });
    if (low > high) low = high = 0;
    const size = Math.max(Math.abs(low), Math.abs(high));
    const margin = high - low > size * 1e-9 ? (high - low) * 0.06 : size > 0 ? size * 0.1 : 1;
    return { low: low - margin, high: high + margin };
  }

  function drawCurve(pen, curve, width, yOf) {
    const bins = binsOf(curve);
    let joined = false;
    pen.strokeStyle = pen.fillStyle = curve.colour;
    pen.lineWidth = 1.3;
    pen.beginPath();
    for (let i = bins.from; i < bins.to; i++) {
      const a = curve.values[2 * i], b = curve.values[2 * i + 1];
      if (a !== a) continue;
      const x = xOf(curve.start + (i + 0.5) * curve.width, width);
      if (joined && !curve.breaks.has(i)) pen.lineTo(x, yOf(a));
      else pen.moveTo(x, yOf(a));
      pen.lineTo(x + (a === b ? 0.01 : 0), yOf(b));
      joined = true;
    }
    pen.stroke();
    pen.lineWidth = 1;
  }

  // At least two values are on the axis: one alone shows no scale.
  function valueStep(scale, room) {
    const span = scale.high - scale.low;
    let step = roundStep(span, room);
    for (let i = 1; i <= 4 && Math.floor(scale.high / step) - Math.ceil(scale.low / step) < 1; i++)
      step = roundStep(span, Math.max(room, 1) * Math.pow(2, i));
    return step;
  }

  // The values of a panel's axis in view, and the room that their numbers need.
  function findAxis(surface) {
    const height = surface.canvas.clientHeight - surface.bottom - panelTop, scale = extremes(surface.data);
    const step = valueStep(scale, height / 28), pen = surface.canvas.getContext("2d");
    surface.axis = { scale: scale, step: step, values: [] };
    for (let value = Math.ceil(scale.low / step) * step, i = 0; value <= scale.high && i < 50; value += step, i++)
      surface.axis.values.push([value, Math.abs(value) < step / 2 ? "0" : number(value, step)]);
    pen.font = font;
    return Math.max.apply(null, surface.axis.values.map(function (one) { return pen.measureText(one[1]).width + 12; }).concat(0));
  }

  function drawPanel(surface, ink) {
    const on = begin(surface), pen = on.pen, width = on.width, bottom = on.height - surface.bottom, top = panelTop;
    const scale = surface.axis.scale, span = scale.high - scale.low;
    const yOf = function (value) { return bottom - (value - scale.low) / span * (bottom - top); };
    drawGaps(pen, surface.data.stream, width, top, bottom - top, ink);
    pen.strokeStyle = ink.grid;
    pen.fillStyle = ink.faint;
    pen.textAlign = "right";
    surface.axis.values.forEach(function (one) {
      line(pen, left, yOf(one[0]), width - right, yOf(one[0]));
      pen.fillText(one[1], left - 6, yOf(one[0]) + 4);
    });
    const tick = timeStep(view.to - view.from, (width - left - right) / 110), base = (chart.clock ? chart.start : chart.start % 86400 + offsetAt(view.from)) + chart.fraction;
    pen.textAlign = "center";
    for (let i = Math.ceil((view.from + base) / tick), n = 0; i * tick - base <= view.to && n < 100; i++, n++) {
      const at = i * tick - base, x = xOf(at, width);
      line(pen, x, top, x, bottom);
      const isMidnight = !chart.clock && Math.round((i * tick + offsetAt(at) - offsetAt(view.from)) * 1e6) % 86400e6 === 0;
      const label = isMidnight ? dayText(at) : clockText(at, tick);
      if (surface.bottom > 20) pen.fillText(label, Math.min(x, width - pen.measureText(label).width / 2), bottom + 16);
    }
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width - left - right, bottom - top);
    pen.clip();
    surface.data.curves.forEach(function (curve) { if (!curve.hidden) drawCurve(pen, curve, width, yOf); });
    pen.restore();
    pen.strokeStyle = ink.faint;
    pen.strokeRect(left, top, width - left - right, bottom - top);
    drawMarks(pen, width, top, bottom - top, ink, surface === panels[0]);
  }

  function isIn(gaps, seconds) {
    return gaps.some(function (gap) { return gap[0] <= seconds && seconds <= gap[1]; });
  }

  // The bin at the cursor, or the one before it where a line leads on from there; -1 where nothing is known.
  function binAt(curve, seconds) {
    const has = function (i) { return curve.values[2 * i] === curve.values[2 * i]; };
    const bin = Math.floor((seconds - curve.start) / curve.width), count = curve.values.length / 2;
    let before = bin, after = bin + 1;
    if (bin < 0 || bin >= count) return -1;
    if (has(bin)) return bin;
    while (before >= 0 && !has(before)) before--;
    while (after < count && !has(after)) after++;
    return after === count || curve.breaks.has(after) ? -1 : before;
  }

  // As many digits as the axis can tell apart, but five at least.
  function valueText(value, step) {
    return value.toPrecision(Math.min(Math.max(Math.ceil(Math.log10(Math.abs(value) / step)) + 3, 5), 17));
  }

  function showValues() {
    panels.forEach(function (panel) {
      const isKnown = cursor !== null && panel.axis && !isIn(chart.streams[panel.data.stream].gaps, cursor);
      panel.data.curves.forEach(function (curve) {
        const bin = isKnown ? binAt(curve, cursor) : -1, a = curve.values[2 * bin], b = curve.values[2 * bin + 1];
        const ends = a === b ? [a] : [Math.min(a, b), Math.max(a, b)];
        curve.output.textContent = bin < 0 ? "" : ends.map(function (value) { return valueText(value, panel.axis.step); }).join(" \u2026 ");
      });
    });
    const step = Math.max((view.to - view.from) / 1000, 1e-6);
    range.textContent = momentText(cursor === null ? view.from : cursor, step) +
      (cursor === null ? " to " + momentText(view.to, step) : "") + " " + chart.zone;
    if (arm) showArm();
  }

  // ---- the arm

  // The page has it as it is without a cursor; here its lines move to where they were at the cursor.
  const arm = chart.figure, figure = document.querySelector(".arm.live");
  const restText = figure && figure.querySelector("output").textContent;

  // The latest record at that time, or -1.
  function recordAt(seconds) {
    let low = 0, high = arm.poses.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (arm.poses[middle][0] <= seconds) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // A record is its time, then x, y and z of shoulder, elbow, wrists, flange and tool, in mm. The views' middle is the
  // shoulder, from above the base.
  function pointsOf(record, isTop) {
    const pose = arm.poses[record], shoulder = pose[3], points = [];
    const put = function (x, y, z) {
      const across = isTop || !arm.across ? x : y, up = isTop ? y : z - shoulder;
      points.push((arm.middle + arm.scale * across).toFixed(1) + "," + (arm.middle - arm.scale * up).toFixed(1));
    };
    put(0, 0, 0);
    for (let i = 1; i < pose.length; i += 3) put(pose[i], pose[i + 1], pose[i + 2]);
    return points;
  }

  function showArm() {
    const isKnown = cursor === null || !isIn(chart.streams[arm.stream].gaps, cursor);
    const record = cursor === null ? arm.rest : isKnown ? recordAt(cursor) : -1;
    figure.querySelectorAll("svg").forEach(function (svg, view) {
      const points = record < 0 ? [] : pointsOf(record, view === 1);
      svg.querySelector(".links").setAttribute("points", points.slice(0, 7).join(" "));
      svg.querySelector(".tool").setAttribute("points", points.length > 7 ? points.slice(6).join(" ") : "");
    });
    figure.querySelector("output").textContent = cursor === null ? restText : record < 0 ? "not known at the cursor" :
      "at the cursor, " + momentText(arm.poses[record][0], 1e-3) + " " + chart.zone;
  }

  let waiting = false;
  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () {
      const ink = colours();
      waiting = false;
      left = panels.reduce(function (most, panel) { return Math.max(most, findAxis(panel)); }, 70);
      strips.forEach(function (strip) { drawStrip(strip, ink); });
      panels.forEach(function (panel) { drawPanel(panel, ink); });
      showValues();
    });
  }

  // ---- moving

  function zoom(from, to) {
    const least = whole.to / 1e6, size = Math.min(Math.max(to - from, least), whole.to);
    view.from = Math.min(Math.max(from, 0), whole.to - size);
    view.to = view.from + size;
    draw();
  }

  function middle() { return cursor === null ? (view.from + view.to) / 2 : cursor; }
  function scale(factor, around) { zoom(around - (around - view.from) * factor, around + (view.to - around) * factor); }
  function shift(part) { zoom(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from)); }

  function timeAt(event, canvas) {
    const box = canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - left) / (box.width - left - right);
    return view.from + Math.min(Math.max(part, 0), 1) * (view.to - view.from);
  }

  // Of a strip.
  function bandName(data, seconds) {
    const found = (data.bands || []).find(function (band) { return band[0] <= seconds && seconds < band[1]; });
    return found && !isIn(chart.streams[data.stream].gaps, seconds) ? found[2] : "";
  }

  surfaces.forEach(function (surface) {
    const canvas = surface.canvas;
    canvas.addEventListener("pointermove", function (event) {
      cursor = timeAt(event, canvas);
      canvas.title = bandName(surface.data, cursor);
      if (drag) drag.to = cursor;
      draw();
    });
    canvas.addEventListener("pointerleave", function () {
      if (!drag) cursor = null;
      draw();
    });
    canvas.addEventListener("pointerdown", function (event) {
      drag = { from: timeAt(event, canvas), to: null };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", function () {
      const size = drag && drag.to !== null ? Math.abs(drag.to - drag.from) : 0, from = drag ? Math.min(drag.from, drag.to) : 0;
      drag = null;
      if (size > (view.to - view.from) / 100) zoom(from, from + size);
      else draw();
    });
    canvas.addEventListener("pointercancel", function () { drag = null; draw(); });
    canvas.addEventListener("dblclick", function () { zoom(whole.from, whole.to); });
    canvas.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.shiftKey) return; // the page scrolls
      event.preventDefault();
      scale(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event, canvas));
    }, { passive: false });
    canvas.addEventListener("keydown", function (event) {
      const keys = { "+": function () { scale(0.5, middle()); }, "-": function () { scale(2, middle()); },
        ArrowLeft: function () { shift(-0.25); }, ArrowRight: function () { shift(0.25); }, Home: function () { zoom(whole.from, whole.to); } };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  });
  document.querySelectorAll("[data-at]").forEach(function (link) {
    link.addEventListener("click", function () {
      const at = Number(link.dataset.at), reach = Math.min(whole.to / 2, 1);
      cursor = at;
      zoom(at - reach, at + reach);
      place.scrollIntoView();
    });
  });
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  showValues(); // a page that is not on the screen has no frames
  document.documentElement.dataset.viewer = "ready";
  draw();
})();
