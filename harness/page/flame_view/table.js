// Table of the functions in view, sortable, a hundred rows at a time.

const ROWS_AT_A_TIME = 100;

class FunctionTable {
  constructor(view, colours) {
    this.view = view;
    this.colours = colours;
    this.key = "self";
    this.descending = true;
    this.limit = ROWS_AT_A_TIME;
    this.table = byId("functions");
    for (const head of this.table.tHead.rows[0].cells) {
      head.firstElementChild.addEventListener("click", () => this.sortBy(head.dataset.key));
    }
    byId("functions-more").addEventListener("click", () => {
      this.limit += ROWS_AT_A_TIME * 2;
      this.render();
    });
    byId("functions-matching").addEventListener("change", () => this.render());
    this.table.tBodies[0].addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) view.update({ selected: Number(row.dataset.function) });
    });
  }

  sortBy(key) {
    this.descending = key === this.key ? !this.descending : key !== "name" && key !== "module";
    this.key = key;
    this.render();
  }

  /** Computes the totals of the view again. */
  refresh() {
    this.totals = this.view.functions;
    this.mostSelf = this.totals.self.reduce((most, value) => Math.max(most, value), 0);
    this.limit = ROWS_AT_A_TIME;
    this.render();
  }

  sorted() {
    const { functions } = this.view.profile;
    const { self, total, selfSamples } = this.totals;
    const marked = byId("functions-matching").checked && this.view.search ? this.view.search.marked : null;
    const listed = [];
    for (let f = 0; f < functions.length; f++) {
      if (total[f] > 0 && functions[f].kind !== KIND.ROOT && functions[f].kind !== KIND.TRUNCATED && (!marked || marked[f])) listed.push(f);
    }
    const rank = this.key === "name" || this.key === "module" ? this.view.nameRank : null;
    const orders = {
      self: (a, b) => self[a] - self[b] || total[a] - total[b],
      total: (a, b) => total[a] - total[b] || self[a] - self[b],
      samples: (a, b) => selfSamples[a] - selfSamples[b],
      name: (a, b) => rank[a] - rank[b],
      module: (a, b) => functions[a].module.localeCompare(functions[b].module) || rank[a] - rank[b],
    };
    const order = orders[this.key], sign = this.descending ? -1 : 1;
    return listed.sort((a, b) => sign * order(a, b));
  }

  render() {
    for (const head of this.table.tHead.rows[0].cells) {
      if (head.dataset.key === this.key) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const listed = this.sorted();
    const rows = listed.slice(0, this.limit).map((f) => this.row(f));
    this.table.tBodies[0].replaceChildren(...rows);
    byId("functions-scope").textContent =
      `${plural(listed.length, "function", "functions")}, shares of ${valueText(this.view.visibleTotal, this.view.profile.unit)} in view`;
    byId("functions-more").hidden = listed.length <= this.limit;
    this.reselect();
  }

  row(f) {
    const { view, totals } = this;
    const { name, module, kind } = view.profile.functions[f];
    const whole = view.visibleTotal;
    const cell = (value, most, bars) => make("td", { class: "number", title: valueText(value, view.profile.unit) },
      bar(value / most, bars), make("span", { class: "figure-text", text: shareText(value, whole) }));
    return make("tr", { "data-function": f, class: view.search?.marked[f] ? "match" : "" },
      cell(totals.self[f], this.mostSelf, "bar-self"),
      cell(totals.total[f], whole, "bar-total"),
      make("td", { class: "number optional soft", text: countText(totals.selfSamples[f]) }),
      make("td", { class: "name" }, make("div", { class: "dotted" }, swatch(this.colours(), kind),
        make("button", { type: "button", class: "clamped", title: KIND_NAME[kind], text: name }))),
      make("td", { class: "module optional", title: module }, make("span", { class: "clamped", text: shortModule(module) })));
  }

  reselect() {
    for (const row of this.table.tBodies[0].rows) {
      const on = Number(row.dataset.function) === this.view.state.selected;
      row.classList.toggle("selected", on);
      row.querySelector("button").setAttribute("aria-pressed", String(on));
    }
  }
}

/** The last part of a module's path, which is what tells modules apart. */
function shortModule(module) {
  return module.startsWith("/") ? module.slice(module.lastIndexOf("/") + 1) : module;
}
