// The table of threads: if a period is selected, it shows the time inside it, the longest first.

const THREAD_CELLS = { share: 0, value: 1, samples: 2, tid: 4, pid: 6 };

class ThreadTable {
  constructor(view) {
    this.view = view;
    this.body = document.querySelector('[aria-labelledby="threads-title"] tbody');
    this.rows = [...(this.body?.rows ?? [])];
    const numbers = new Map(view.whole.threads.map(({ pid, tid }, number) => [`${pid} ${tid}`, number]));
    this.numbers = this.rows.map(({ cells }) =>
      numbers.get(`${cells[THREAD_CELLS.pid].textContent} ${cells[THREAD_CELLS.tid].textContent}`));
    this.texts = this.rows.map(({ cells }) => [0, 1, 2].map((cell) => cells[cell].lastChild.data));
    this.bars = this.rows.map((row) => row.querySelector(".bar-self"));
    this.widths = this.bars.map((bar) => bar?.getAttribute("width"));
  }

  /** Value and samples of each thread in a period of bins. */
  sums({ from, to }) {
    const { threads, weightThread, bins } = this.view.whole;
    const value = new Float64Array(threads.length), samples = new Float64Array(threads.length);
    for (let i = 0; i < bins.row.length; i++) {
      if (bins.bin[i] < from || bins.bin[i] >= to) continue;
      value[weightThread[bins.row[i]]] += bins.value[i];
      samples[weightThread[bins.row[i]]] += bins.samples[i];
    }
    return { value, samples, total: value.reduce((sum, part) => sum + part, 0) };
  }

  show(period) {
    if (!this.body) return;
    const sums = period ? this.sums(period) : null;
    this.rows.forEach((row, at) => {
      const number = this.numbers[at], value = sums?.value[number] ?? 0;
      const texts = sums
        ? [shareText(value, sums.total), valueText(value, this.view.whole.unit), countText(sums.samples[number] ?? 0)]
        : this.texts[at];
      texts.forEach((text, cell) => { row.cells[cell].lastChild.data = text; });
      this.bars[at]?.setAttribute("width", sums ? (sums.total ? (100 * value) / sums.total : 0).toFixed(2) : this.widths[at]);
      row.hidden = Boolean(sums) && !value;
    });
    const order = this.rows.map((row, at) => at);
    if (sums) order.sort((a, b) => (sums.value[this.numbers[b]] ?? 0) - (sums.value[this.numbers[a]] ?? 0));
    this.body.replaceChildren(...order.map((at) => this.rows[at]));
  }
}
