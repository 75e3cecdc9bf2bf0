// Legend of colours and marks for the kinds in the profile, with their shares of the view.

const LEGEND_ORDER = [KIND.USER, KIND.INLINED, KIND.PYTHON, KIND.JAVASCRIPT, KIND.JAVA, KIND.RUBY, KIND.PHP, KIND.KERNEL, KIND.UNKNOWN, KIND.TRUNCATED, KIND.WAKER];

class Legend {
  constructor(view, colours) {
    this.view = view;
    this.colours = colours;
    this.list = byId("legend");
  }

  /** Value in view by kind: self values; totals for groups of truncated chains. */
  values() {
    const { view } = this;
    const { self, total } = view.functions;
    const values = new Float64Array(KIND_NAME.length);
    view.profile.function_kind.forEach((kind, f) => { values[kind] += kind === KIND.TRUNCATED || kind === KIND.WAKER ? total[f] : self[f]; });
    if (view.isTruncated(view.state.zoom)) values[KIND.TRUNCATED] = view.visibleTotal;
    return values;
  }

  render() {
    const { view } = this;
    if (view.state.bySlots) return this.renderSlots();
    const there = new Set(view.profile.function_kind), values = this.values();
    const kinds = LEGEND_ORDER.filter((kind) => there.has(kind) && (kind !== KIND.INLINED || view.state.inlined)
      && (kind !== KIND.WAKER || view.state.wakers));
    const colours = this.colours();
    const plain = (fill, text) => make("li", { class: "plain" }, frameMark(fill), text);
    this.list.replaceChildren(
      ...kinds.map((kind) => this.entry(kind, values[kind])),
      plain(colours.rest, "too narrow"),
      ...(view.search ? [plain(colours.match, "match")] : []));
  }

  /** The slot categories, with the self value of the functions they dominate. */
  renderSlots() {
    const { view } = this;
    const { slots } = view.profile, values = slotValues(view), colours = this.colours();
    const entry = (text, category, pale) => make("li", { class: "plain", title: pale ? "Too few own samples: coloured by the function and its callees" : "Self, of functions in which this took most slots" },
      frameMark(slotFill(slots, category, colours.slotLightness, pale)), `${text} `,
      ...(pale ? [] : [make("span", { class: "figure", text: shareText(values[category < 0 ? slots.categories.length : category], view.visibleTotal) })]));
    this.list.replaceChildren(
      ...slots.categories.map(([, text], category) => entry(text, category, false)),
      entry("not known", -1, false), entry("pale: with callees", 0, true),
      ...(view.search ? [make("li", { class: "plain" }, frameMark(colours.match), "match")] : []));
  }

  entry(kind, value) {
    const { view } = this;
    const query = `${KIND_PREFIX}${KIND_KEY[kind]}`, on = view.state.query === query;
    const what = kind === KIND.TRUNCATED ? "Truncated stacks" : `Self, ${KIND_NAME[kind]} functions`;
    return make("li", {}, make("button", {
      type: "button", "aria-pressed": String(on), title: `${what}: ${valueText(value, view.profile.unit)} in view. Click to highlight.`,
      "data-kind": KIND_KEY[kind], click: () => this.toggle(on ? "" : query),
    }, swatch(this.colours(), kind), kind === KIND.TRUNCATED ? "truncated stacks " : `${KIND_NAME[kind]} `, make("span", { class: "figure", text: shareText(value, view.visibleTotal) })));
  }

  /** Lights a kind; the entry stays in focus although it is created again. */
  toggle(query) {
    const { kind } = document.activeElement.dataset;
    this.view.update({ query, regex: false });
    if (kind) requestAnimationFrame(() => this.list.querySelector(`[data-kind="${kind}"]`)?.focus());
  }
}
