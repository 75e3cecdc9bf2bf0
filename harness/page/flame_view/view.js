// The state of the page, and the effects of its changes.

/** The state and everything derived from it; only `update` changes it. */
class View {
  constructor(profile) {
    this.whole = profile; // with inlined functions and wakers
    this.variants = new Map();
    const variant = this.variantOf({ inlined: true, wakers: false });
    this.shownVariant = variant;
    this.profile = variant.tree;
    this.totals = new Totals(this.profile);
    this.totals.sum(null);
    this.grandTotal = this.totals.total[0];
    this.state = {
      zoom: 0, icicle: false, byName: false, query: "", regex: false, shown: null,
      selected: -1, theme: "light", inlined: true, wakers: false, bySlots: false, period: null,
    };
    this.search = null;
    this.searchError = "";
    this.rows = [];
    this.listeners = [];
    this.pending = new Set();
  }

  /** The rank of each function by name; computed at first use. */
  get nameRank() {
    if (!this.rankOfFunction) {
      const { names } = this.profile;
      const order = Array.from(names.keys()).sort((a, b) => (names[a] < names[b] ? -1 : 1));
      const rank = new Int32Array(order.length);
      order.forEach((name, at) => { rank[name] = at; });
      this.rankOfFunction = Int32Array.from(this.profile.function_name, (name) => rank[name]);
    }
    return this.rankOfFunction;
  }

  /** Calls `listener(changed)` in the frame after a change; `changed` holds the keys of state. */
  listen(listener) {
    this.listeners.push(listener);
  }

  update(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (this.state[key] === value) continue;
      this.state[key] = value;
      this.pending.add(key);
    }
    if (this.pending.size && !this.scheduled) {
      this.scheduled = true;
      requestAnimationFrame(() => this.flush());
    }
  }

  flush() {
    const began = performance.now(), changed = this.pending;
    this.pending = new Set();
    this.scheduled = false;
    if (changed.has("inlined") || changed.has("wakers")) this.regrow(changed);
    if (changed.has("period")) changed.add("shown"); // both filter the weights
    if (changed.has("shown") || changed.has("tree")) this.totals.sum(this.state.shown, this.state.period);
    if (changed.has("query") || changed.has("regex") || changed.has("tree")) this.mark();
    for (const listener of this.listeners) listener(changed);
    timings.update_ms = performance.now() - began;
  }

  get hasSlots() {
    return Boolean(this.whole.slots);
  }

  get hasInlined() {
    return this.whole.function_kind.includes(KIND.INLINED);
  }

  get hasWakers() {
    return this.whole.function_kind.includes(KIND.WAKER);
  }

  /** The tree with or without inlined functions and wakers; made at first use. */
  variantOf({ inlined, wakers }) {
    const shown = { inlined: inlined || !this.hasInlined, wakers: wakers || !this.hasWakers };
    const key = `${shown.inlined} ${shown.wakers}`;
    if (!this.variants.has(key)) {
      const all = shown.inlined && shown.wakers;
      this.variants.set(key, all ? { tree: this.whole } : withoutNodes(this.whole, hiddenNodes(this.whole, shown)));
    }
    return this.variants.get(key);
  }

  /** Takes the tree that the state selects; the zoom stays on the same code. */
  regrow(changed) {
    const { state } = this;
    const before = this.shownVariant, after = this.variantOf(state);
    const node = before.origin ? before.origin[state.zoom] : state.zoom;
    state.zoom = after.nodeOf ? after.nodeOf[node] : node;
    this.shownVariant = after;
    this.profile = after.tree;
    changed.add("tree").add("zoom");
    const kind = this.profile.function_kind[state.selected];
    if ((!state.inlined && kind === KIND.INLINED) || (!state.wakers && kind === KIND.WAKER)) {
      state.selected = -1;
      changed.add("selected");
    }
    this.totals = new Totals(this.profile);
  }

  mark() {
    const { query } = this.state;
    this.searchError = "";
    try {
      this.search = markFunctions(this.profile, query, this.state);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.search = null;
      this.searchError = "not a regular expression";
    }
  }

  /** Value in view: that of the frame zoomed into, in the threads shown. */
  get visibleTotal() {
    return this.totals.total[this.state.zoom];
  }

  get matchedValue() {
    return this.search ? markedValue(this.profile, this.totals, this.state.zoom, this.search.marked) : 0;
  }

  /** Totals per function in view; kept until zoom or threads change. */
  get functions() {
    const { zoom, shown, period } = this.state, of = this.functionsOf, tree = this.profile;
    if (of?.zoom !== zoom || of.shown !== shown || of.period !== period || of.tree !== tree) {
      this.functionsOf = { zoom, shown, period, tree, totals: functionTotals(this.profile, this.totals, zoom) };
    }
    return this.functionsOf.totals;
  }

  layOut(width) {
    const { zoom, byName, shown, period } = this.state;
    this.rows = layOut(this.profile, this.totals, {
      zoom, byName, width, filtered: shown !== null || period !== null, nameRank: byName ? this.nameRank : null,
    });
    this.scale = width / this.visibleTotal;
    return this.rows;
  }

  /** Whether a node belongs to a truncated chain. */
  isTruncated(node) {
    const { parent, function_kind, functionOf } = this.profile;
    let at = node;
    while (at > 0 && parent[at] > 0) at = parent[at];
    return function_kind[functionOf[at]] === KIND.TRUNCATED;
  }

  functionAt(node) {
    return this.profile.functions[this.profile.functionOf[node]];
  }

  nameAt(node) {
    return node === 0 ? "all" : this.functionAt(node).name;
  }

  /** The nodes from the root to `node`. */
  pathTo(node) {
    const path = [];
    for (let at = node; at >= 0; at = this.profile.parent[at]) path.unshift(at);
    return path;
  }
}
