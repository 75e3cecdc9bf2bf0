// The timeline: a period selected on a lane, by keys or in the fields, for all panels.

class Timeline {
  /** `bins`: number and length of the bins; `show(period)` is called with bins, or null for all. */
  constructor(bins, show) {
    this.bins = bins;
    this.show = show;
    this.period = null;
    this.lanes = byId("timeline-lanes");
    if (!this.lanes) return;
    this.from = byId("period-from");
    this.to = byId("period-to");
    for (const field of [this.from, this.to]) {
      field.addEventListener("change", () => this.choose(Number(this.from.value), Number(this.to.value)));
    }
    byId("period-all").addEventListener("click", () => this.select(null));
    this.lanes.addEventListener("keydown", (event) => this.key(event));
    this.listen(this.lanes, ".lane-track");
    const map = byId("waits-map");
    if (map) this.listen(map, ".waits-track");
    this.render();
  }

  listen(box, track) {
    let began;
    box.addEventListener("pointerdown", (event) => {
      if (!event.target.closest(track)) return;
      began = this.secondsAt(event, box, track);
      box.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    box.addEventListener("pointermove", (event) => {
      if (began !== undefined) this.choose(began, this.secondsAt(event, box, track));
    });
    for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => { began = undefined; });
  }

  secondsAt(event, box, track) {
    const place = box.querySelector(track).getBoundingClientRect();
    return ((event.clientX - place.left) / place.width) * this.bins.count * this.bins.seconds;
  }

  /** Selects the bins that a period touches. */
  choose(one, other) {
    const { count, seconds } = this.bins;
    const edge = (time, round) => Math.max(0, Math.min(count, round(time / seconds)));
    const from = edge(Math.min(one, other), (bin) => Math.floor(bin + 1e-6));
    const to = edge(Math.max(one, other), (bin) => Math.ceil(bin - 1e-6));
    if (to > from) this.select({ from, to });
    else this.render();
  }

  /** Selects a period of bins; null, or all bins: the whole recording. */
  select(period) {
    const { count } = this.bins;
    const next = period && (period.from > 0 || period.to < count) ? period : null;
    if (next?.from === this.period?.from && next?.to === this.period?.to) return;
    this.period = next;
    this.render();
    this.show(next);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { count } = this.bins, { from, to } = this.period ?? { from: -1, to: 0 };
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) {
      const extended = event.shiftKey && this.period;
      const next = extended
        ? { from, to: Math.max(from + 1, Math.min(count, to + step)) }
        : { from: from + step, to: to + step };
      if (next.from >= 0 && next.to <= count) this.select(next);
    } else if (event.key === "Escape" && this.period) {
      this.select(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  render() {
    const { count, seconds } = this.bins, { period } = this;
    const { from, to } = period ?? { from: 0, to: count };
    this.from.value = +(from * seconds).toFixed(3);
    this.to.value = +(to * seconds).toFixed(3);
    for (const mark of document.querySelectorAll(".lane-mark, .waits-mark")) {
      mark.style.left = `${(100 * from) / count}%`;
      mark.style.width = `${(100 * (to - from)) / count}%`;
      mark.hidden = !period;
    }
    document.documentElement.dataset.period = period ? "part" : "whole";
    byId("period-bar").hidden = !period;
    byId("period-scope").textContent = period
      ? `All panels show ${(from * seconds).toFixed(3)} s to ${(to * seconds).toFixed(3)} s of ${(count * seconds).toFixed(3)} s.`
      : "All panels show the whole recording.";
  }
}
