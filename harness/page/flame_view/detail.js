// The selected function: callers, callees and hottest source lines.

const NEIGHBOURS_SHOWN = 8;

class Detail {
  constructor(view, colours) {
    this.view = view;
    this.colours = colours;
    this.body = byId("detail-body");
    this.none = [...this.body.childNodes];
  }

  render() {
    const { view } = this;
    const f = view.state.selected;
    if (f < 0) {
      this.body.replaceChildren(...this.none);
      return;
    }
    const { name, module, kind, lines } = view.profile.functions[f], where = placeText({ module, kind });
    const { self, total } = view.functions;
    const { callers, callees } = neighbours(view.profile, view.totals, view.state.zoom, f);
    this.body.replaceChildren(
      make("div", { class: "dotted" }, swatch(this.colours(), kind),
        make("p", { class: "detail-name clamped", title: name, text: name })),
      make("p", { class: "hint clamped", title: where, text: where }),
      ...(slotsText(view.profile, f) ? [make("p", { class: "hint", text: slotsText(view.profile, f) })] : []),
      make("dl", { class: "figures small" }, this.figure("Self", self[f]), this.figure("Total", total[f])),
      make("div", { class: "actions" },
        make("button", { type: "button", text: "Search", click: () => view.update({ query: name, regex: false }) }),
        make("button", { type: "button", text: "Deselect", click: () => view.update({ selected: -1 }) })),
      ...this.list("Called by", callers, total[f]),
      ...this.list("Calls", callees, total[f]),
      ...this.lines(lines));
  }

  figure(label, value) {
    const { view } = this;
    return make("div", {}, make("dt", { text: `${label}, ${valueText(value, view.profile.unit)}` }),
      make("dd", { text: shareText(value, view.visibleTotal) }));
  }

  list(title, entries, whole) {
    if (!entries.length) return [make("h3", { text: title }), make("p", { class: "hint", text: "none in view" })];
    const rows = entries.slice(0, NEIGHBOURS_SHOWN).map(([f, value]) => {
      const { name, kind } = this.view.profile.functions[f];
      const who = kind === KIND.ROOT
        ? make("span", { class: "soft", text: "no caller" })
        : make("button", { type: "button", class: "clamped", text: name, click: () => this.view.update({ selected: f }) });
      return make("tr", {}, make("td", { class: "number" }, bar(value / whole, "bar-total"), make("span", { class: "figure-text", text: shareText(value, whole) })), make("td", { class: "name" }, who));
    });
    const left = entries.length - rows.length;
    const more = left > 0 ? [make("p", { class: "hint", text: `and ${countText(left)} more` })] : [];
    return [make("h3", { text: `${title} (share of its total)` }), make("table", {}, make("tbody", {}, ...rows)), ...more];
  }

  lines(lines) {
    if (!lines.length) return [];
    const rows = lines.map(([at, samples]) => make("tr", {},
      make("td", { class: "number", text: countText(samples) }), make("td", { class: "name", title: at }, make("span", { class: "clamped", text: at }))));
    return [make("h3", { text: "Hottest lines (samples, whole recording)" }), make("table", {}, make("tbody", {}, ...rows))];
  }
}
