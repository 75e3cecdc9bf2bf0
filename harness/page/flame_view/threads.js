// Selection of processes and threads: a list, hottest first, that works with thousands of entries.

const THREADS_AT_A_TIME = 200;

class ThreadFilter {
  constructor(view, listening) {
    this.view = view;
    this.listening = listening;
    this.values = threadTotals(view.profile);
    this.chosen = new Uint8Array(view.profile.threads.length).fill(1);
    this.processes = this.grouped();
    this.limit = THREADS_AT_A_TIME;
    this.panel = byId("threads-panel");
    this.button = byId("threads-open");
    this.listen();
    this.label();
  }

  /** Processes, hottest first, each with its threads, hottest first. */
  grouped() {
    const processes = new Map();
    this.view.profile.threads.forEach((thread, index) => {
      if (!processes.has(thread.pid)) processes.set(thread.pid, { pid: thread.pid, name: thread.process, threads: [], value: 0 });
      const process = processes.get(thread.pid);
      process.threads.push(index);
      process.value += this.values[index];
    });
    const list = [...processes.values()].sort((a, b) => b.value - a.value);
    for (const process of list) process.threads.sort((a, b) => this.values[b] - this.values[a]);
    return list;
  }

  listen() {
    this.button.addEventListener("click", () => this.toggle());
    byId("threads-search").addEventListener("input", () => this.render());
    byId("threads-all").addEventListener("click", () => this.choose(this.listed(), 1));
    byId("threads-none").addEventListener("click", () => this.choose(this.listed(), 0));
    byId("threads-more").addEventListener("click", () => {
      this.limit += THREADS_AT_A_TIME;
      this.render();
    });
    document.addEventListener("pointerdown", (event) => {
      if (!this.panel.hidden && !event.target.closest(".menu")) this.toggle(false);
    }, this.listening);
  }

  toggle(open = this.panel.hidden) {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) {
      this.limit = THREADS_AT_A_TIME;
      this.render();
      byId("threads-search").focus();
    } else if (this.panel.contains(document.activeElement)) {
      this.button.focus();
    }
  }

  get isOpen() {
    return !this.panel.hidden;
  }

  fits(index, needle) {
    const { pid, tid, process, name } = this.view.profile.threads[index];
    return `${process} ${name} ${pid} ${tid}`.toLowerCase().includes(needle);
  }

  listed() {
    const needle = byId("threads-search").value.trim().toLowerCase();
    return this.view.profile.threads.map((_, index) => index).filter((index) => this.fits(index, needle));
  }

  choose(indexes, on) {
    for (const index of indexes) this.chosen[index] = on;
    this.apply();
    this.render();
  }

  apply() {
    const all = this.chosen.every((on) => on === 1);
    this.view.update({ shown: all ? null : this.chosen.slice() });
    this.label();
  }

  label() {
    const count = this.chosen.reduce((sum, on) => sum + on, 0), all = this.chosen.length;
    this.button.textContent = count === all ? plural(all, "thread", "threads") : `${countText(count)} of ${plural(all, "thread", "threads")}`;
    this.button.setAttribute("aria-pressed", String(count !== all));
  }

  reset() {
    this.choose(this.view.profile.threads.keys(), 1);
  }

  render() {
    const needle = byId("threads-search").value.trim().toLowerCase();
    const rows = [];
    let threads = 0;
    for (const process of this.processes) {
      const fitting = process.threads.filter((index) => this.fits(index, needle));
      if (!fitting.length) continue;
      if (rows.length < this.limit) rows.push(this.row(process.name, `pid ${process.pid}`, process.threads, "process"));
      for (const index of fitting) {
        if (rows.length < this.limit) {
          const { name, tid } = this.view.profile.threads[index];
          rows.push(this.row(name, `tid ${tid}`, [index], "thread"));
        }
        threads++;
      }
    }
    byId("threads-list").replaceChildren(...rows);
    byId("threads-count").textContent = `${plural(this.processes.length, "process", "processes")}, ${plural(threads, "thread", "threads")} listed`;
    byId("threads-more").hidden = rows.length < this.limit;
  }

  row(name, id, indexes, kind) {
    const on = indexes.reduce((sum, index) => sum + this.chosen[index], 0);
    const value = indexes.reduce((sum, index) => sum + this.values[index], 0);
    const key = `${kind}-${indexes[0]}`;
    const box = make("input", { type: "checkbox", "data-key": key, change: () => {
      this.choose(indexes, box.checked ? 1 : 0);
      byId("threads-list").querySelector(`[data-key="${key}"]`)?.focus();
    } });
    box.checked = on === indexes.length;
    box.indeterminate = on > 0 && on < indexes.length;
    return make("label", { class: kind }, box,
      make("span", { class: "who", text: `${name} ` }, make("span", { class: "id", text: id })),
      make("span", { text: shareText(value, this.view.grandTotal) }));
  }
}
