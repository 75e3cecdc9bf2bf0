// Selection of a period on the timeline of states: all tables, bars and the graph show it alone.

(() => {
"use strict";
const { bins } = JSON.parse(document.getElementById("profile").textContent);
const map = document.getElementById("waits-map");
if (!bins || !map) return;
const byId = (id) => document.getElementById(id);
const cells = new PeriodCells(bins), { timeText } = PeriodCells;
let began;

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
  cells.show(period);
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
