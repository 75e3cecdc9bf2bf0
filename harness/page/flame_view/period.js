// Selection of a period on the map of samples over time; graph and tables show its samples only.

class PeriodFilter {
  constructor(view) {
    this.view = view;
    this.bins = view.whole.bins;
    this.map = document.querySelector("#over-time svg");
    if (!this.bins || !this.map) return;
    this.from = byId("period-from");
    this.to = byId("period-to");
    this.mark = makeSvg("rect", { class: "period-mark", y: 0, height: "100%", visibility: "hidden" });
    this.map.append(this.mark);
    this.threads = new ThreadTable(view);
    byId("period-controls").hidden = false;
    this.listen();
    this.show(null);
  }

  listen() {
    for (const field of [this.from, this.to]) {
      field.addEventListener("change", () => this.choose(Number(this.from.value), Number(this.to.value)));
    }
    byId("period-all").addEventListener("click", () => this.choose(0, Infinity));
    this.map.addEventListener("pointerdown", (event) => {
      this.began = this.secondsAt(event);
      this.map.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    this.map.addEventListener("pointermove", (event) => {
      if (this.began !== undefined) this.choose(this.began, this.secondsAt(event));
    });
    this.map.addEventListener("pointerup", () => { this.began = undefined; });
  }

  /** The time under the pointer, in seconds since the first sample. */
  secondsAt(event) {
    const box = this.map.getBoundingClientRect(), { left, width } = this.map.dataset;
    const x = ((event.clientX - box.left) / box.width) * this.map.viewBox.baseVal.width;
    return ((x - Number(left)) / Number(width)) * this.bins.count * this.bins.seconds;
  }

  /** Selects the bins that a period touches; a period of the whole recording selects all. */
  choose(one, other) {
    const { count, seconds } = this.bins;
    const edge = (time, round) => Math.max(0, Math.min(count, round(time / seconds)));
    const from = edge(Math.min(one, other), (bin) => Math.floor(bin + 1e-6));
    const to = edge(Math.max(one, other), (bin) => Math.ceil(bin - 1e-6));
    if (!(to > from)) return;
    this.show(from === 0 && to === count ? null : { from, to });
  }

  show(period) {
    const { count, seconds } = this.bins, { from, to } = period ?? { from: 0, to: count };
    this.from.value = +(from * seconds).toFixed(3);
    this.to.value = +(to * seconds).toFixed(3);
    const left = Number(this.map.dataset.left), width = Number(this.map.dataset.width);
    this.mark.setAttribute("x", left + (width * from) / count);
    this.mark.setAttribute("width", (width * (to - from)) / count);
    this.mark.setAttribute("visibility", period ? "visible" : "hidden");
    document.documentElement.dataset.period = period ? "part" : "whole";
    this.threads.show(period);
    this.view.update({ period });
  }
}
