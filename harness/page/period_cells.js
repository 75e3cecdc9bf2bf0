// Cells, bars, rows and edges of a page that follow a selected period. A cell has the number of a
// series (data-time, data-count, data-share or data-mean with data-of); a series has bins and values
// in turn, times in microseconds.

const PeriodCells = (() => {
const STEPS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const shareText = (part, whole) => (part > 0 && whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");

return class {
  constructor(bins) {
    this.bins = bins;
    this.original = new Map();
  }

  static timeText(ns) {
    for (const [least, name] of STEPS) if (ns >= least) return `${digits(ns / least)} ${name}`;
    return "0 s";
  }

  /** Shows a period of bins, or the whole recording for null. */
  show(period) {
    this.fillCells(period);
    this.fillBars(period);
    this.sortRows(period);
    this.showEdges(period);
  }

  /** The sum of a series in a period of bins. */
  sumOf(number, { from, to }) {
    const series = this.bins.series[number] ?? [];
    let sum = 0;
    for (let i = 0; i < series.length; i += 2) if (series[i] >= from && series[i] < to) sum += series[i + 1];
    return sum;
  }

  textOf({ time, count, share, mean, of }, period) {
    const { timeText } = this.constructor;
    if (time !== undefined) return timeText(this.sumOf(time, period) * 1e3);
    if (count !== undefined) return Math.round(this.sumOf(count, period)).toLocaleString("en");
    if (mean !== undefined) {
      const number = this.sumOf(of, period);
      return number > 0 ? timeText((this.sumOf(mean, period) * 1e3) / number) : "";
    }
    return shareText(this.sumOf(share, period), this.sumOf(of, period));
  }

  /** Keeps what a node showed for the whole recording; returns it. */
  kept(node, read) {
    if (!this.original.has(node)) this.original.set(node, read());
    return this.original.get(node);
  }

  fillCells(period) {
    for (const cell of document.querySelectorAll("[data-time], [data-count], [data-share], [data-mean]")) {
      const whole = this.kept(cell, () => cell.textContent);
      const zero = cell.closest("[data-zeros]") && cell.dataset.share !== undefined ? "0.0 %" : "";
      cell.textContent = period ? this.textOf(cell.dataset, period) || zero : whole;
    }
  }

  fillBars(period) {
    for (const bar of document.querySelectorAll("[data-bar]")) {
      const whole = period ? this.sumOf(bar.dataset.bar, period) : 0;
      let start = 0;
      for (const part of bar.children) {
        const before = this.kept(part, () => [part.getAttribute("x"), part.getAttribute("width")]);
        const width = whole ? (100 * this.sumOf(part.dataset.part, period)) / whole : 0;
        part.setAttribute("x", period ? start.toFixed(3) : before[0]);
        part.setAttribute("width", period ? width.toFixed(3) : before[1]);
        start += width;
      }
    }
  }

  /** Sorts the rows of tables by the period; rows without time in it are hidden. */
  sortRows(period) {
    for (const body of document.querySelectorAll("[data-sorted]")) {
      const rows = this.kept(body, () => [...body.children]);
      const value = new Map(rows.map((row) => [row, period && row.dataset.sort ? this.sumOf(row.dataset.sort, period) : 0]));
      const order = period ? [...rows].sort((a, b) => value.get(b) - value.get(a)) : rows;
      body.replaceChildren(...order);
      for (const row of rows) row.hidden = Boolean(period) && Boolean(row.dataset.sort) && !value.get(row);
    }
  }

  showEdges(period) {
    for (const edge of document.querySelectorAll("[data-edge]")) {
      edge.setAttribute("visibility", period && !this.sumOf(edge.dataset.edge, period) ? "hidden" : "visible");
    }
  }
};
})();
