// Selection of a period on the timeline of states: all tables, bars and the graph show it alone.
// A cell has the number of a series (data-time, data-count, data-share with data-of); a series has
// bins and values in turn, times in microseconds.

(() => {
"use strict";
const { bins } = JSON.parse(document.getElementById("profile").textContent);
const map = document.getElementById("waits-map");
if (!bins || !map) return;
const byId = (id) => document.getElementById(id);
const TIME_STEPS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const threeDigits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const original = new Map();
let began;

function timeText(ns) {
  for (const [least, name] of TIME_STEPS) if (ns >= least) return `${threeDigits(ns / least)} ${name}`;
  return "0 s";
}

const shareText = (part, whole) => (part > 0 && whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");

/** The sum of a series in a period of bins. */
function sumOf(number, { from, to }) {
  const series = bins.series[number] ?? [];
  let sum = 0;
  for (let i = 0; i < series.length; i += 2) if (series[i] >= from && series[i] < to) sum += series[i + 1];
  return sum;
}

function textOf({ time, count, share, of }, period) {
  if (time !== undefined) return timeText(sumOf(time, period) * 1e3);
  if (count !== undefined) return sumOf(count, period).toLocaleString("en");
  return shareText(sumOf(share, period), sumOf(of, period));
}

/** Keeps what a node showed for the whole recording; returns it. */
function kept(node, read) {
  if (!original.has(node)) original.set(node, read());
  return original.get(node);
}

function fillCells(period) {
  for (const cell of document.querySelectorAll("[data-time], [data-count], [data-share]")) {
    const whole = kept(cell, () => cell.textContent);
    cell.textContent = period ? textOf(cell.dataset, period) : whole;
  }
}

function fillBars(period) {
  for (const bar of document.querySelectorAll("[data-bar]")) {
    const whole = period ? sumOf(bar.dataset.bar, period) : 0;
    let start = 0;
    for (const part of bar.children) {
      const before = kept(part, () => [part.getAttribute("x"), part.getAttribute("width")]);
      const width = whole ? (100 * sumOf(part.dataset.part, period)) / whole : 0;
      part.setAttribute("x", period ? start.toFixed(3) : before[0]);
      part.setAttribute("width", period ? width.toFixed(3) : before[1]);
      start += width;
    }
  }
}

/** Sorts the rows of tables by the period; rows without time in it are hidden. */
function sortRows(period) {
  for (const body of document.querySelectorAll("[data-sorted]")) {
    const rows = kept(body, () => [...body.children]);
    const value = new Map(rows.map((row) => [row, period && row.dataset.sort ? sumOf(row.dataset.sort, period) : 0]));
    const order = period ? [...rows].sort((a, b) => value.get(b) - value.get(a)) : rows;
    body.replaceChildren(...order);
    for (const row of rows) row.hidden = Boolean(period) && Boolean(row.dataset.sort) && !value.get(row);
  }
}

function showEdges(period) {
  for (const edge of document.querySelectorAll("[data-edge]")) {
    edge.setAttribute("visibility", period && !sumOf(edge.dataset.edge, period) ? "hidden" : "visible");
  }
}

function show(period) {
  const { count, seconds } = bins, { from, to } = period ?? { from: 0, to: count };
  byId("waits-from").value = +(from * seconds).toFixed(3);
  byId("waits-to").value = +(to * seconds).toFixed(3);
  for (const mark of map.querySelectorAll(".waits-mark")) {
    mark.style.left = `${(100 * from) / count}%`;
    mark.style.width = `${(100 * (to - from)) / count}%`;
    mark.hidden = !period;
  }
  document.documentElement.dataset.period = period ? "part" : "whole";
  byId("waits-scope").textContent = period
    ? `All tables show ${timeText((to - from) * seconds * 1e9)} of the recording; the sentence above, owners, hold times, signs and chains are those of all of it.`
    : "Drag over the timeline to show a period in all tables.";
  fillCells(period);
  fillBars(period);
  sortRows(period);
  showEdges(period);
}

/** Selects the bins that a period touches; a period of the whole recording selects all. */
function choose(one, other) {
  const { count, seconds } = bins;
  const edge = (time, round) => Math.max(0, Math.min(count, round(time / seconds)));
  const from = edge(Math.min(one, other), (bin) => Math.floor(bin + 1e-6));
  const to = edge(Math.max(one, other), (bin) => Math.ceil(bin - 1e-6));
  if (to > from) show(from === 0 && to === count ? null : { from, to });
}

function secondsAt(event) {
  const box = map.querySelector(".waits-track").getBoundingClientRect();
  return ((event.clientX - box.left) / box.width) * bins.count * bins.seconds;
}

for (const id of ["waits-from", "waits-to"]) {
  byId(id).addEventListener("change", () => choose(Number(byId("waits-from").value), Number(byId("waits-to").value)));
}
byId("waits-all").addEventListener("click", () => choose(0, Infinity));
map.addEventListener("pointerdown", (event) => {
  began = secondsAt(event);
  map.setPointerCapture(event.pointerId);
  event.preventDefault();
});
map.addEventListener("pointermove", (event) => { if (began !== undefined) choose(began, secondsAt(event)); });
map.addEventListener("pointerup", () => { began = undefined; });
map.addEventListener("pointercancel", () => { began = undefined; });
byId("waits-controls").hidden = false;
show(null);
document.documentElement.dataset.ready = "true";
})();
