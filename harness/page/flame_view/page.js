// The page: connects the parts and paints at most once per animation frame.

const MIN_GRAPH_PX = 380;
const HINT = "Click a frame to zoom in, / to search, ? for help.";

class Page {
  /** `kept`: state to begin with, as of an earlier page. */
  constructor(profile, kept = {}) {
    this.closing = new AbortController();
    this.listening = { signal: this.closing.signal };
    this.view = new View(profile);
    this.view.state.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    Object.assign(this.view.state, kept);
    if (kept.period) this.view.totals.sum(null, kept.period);
    if (kept.query) this.view.mark();
    this.graph = new Graph(this.view, { box: byId("graph"), space: byId("graph-space"), canvas: byId("canvas") });
    this.tooltip = new Tooltip(byId("tooltip"));
    this.setColours();
    this.walker = new Walker(this.view, this.graph, (frame) => this.focused(frame));
    this.threads = new ThreadFilter(this.view, this.listening);
    this.period = new PeriodFilter(this.view);
    this.table = new FunctionTable(this.view, () => this.colours);
    this.detail = new Detail(this.view, () => this.colours);
    this.legend = new Legend(this.view, () => this.colours);
    this.controls = new Controls(this);
    this.view.listen((changed) => this.render(changed));
    printGraph(this.view, this.listening, () => this.relayOut());
    this.sizes = new ResizeObserver(() => {
      if (this.graph.width !== this.laidOutWidth) this.relayOut();
      else this.repaint();
    });
    this.sizes.observe(byId("graph"));
  }

  /** Ends all effects on the document, before its elements are replaced. */
  close() {
    this.closing.abort();
    this.sizes.disconnect();
    this.view.listeners = [];
  }

  setColours() {
    this.colours = coloursOf(this.view);
  }

  render(changed) {
    const has = (...keys) => keys.some((key) => changed.has(key));
    if (has("theme", "bySlots")) this.setColours();
    if (has("tree")) this.walker.at = null;
    this.controls.render();
    if (has("zoom", "shown", "byName", "icicle")) this.relayOut();
    else this.paint();
    if (has("zoom", "shown", "query", "regex")) this.renderMatches();
    if (has("zoom", "shown")) this.table.refresh();
    else if (has("query", "regex", "theme")) this.table.render();
    if (has("zoom", "shown", "selected", "theme")) this.detail.render();
    if (has("selected")) this.table.reselect();
    if (has("zoom", "shown", "query", "regex", "theme", "bySlots")) this.legend.render();
    if (has("query", "regex")) this.timeSearch();
  }

  /** Limits the graph to the window, so that root and leaves are both visible. */
  fitWindow() {
    const { box } = this.graph;
    const top = box.getBoundingClientRect().top + window.scrollY;
    const below = document.querySelector(".under").offsetHeight;
    box.style.maxHeight = `${Math.max(MIN_GRAPH_PX, window.innerHeight - top - below - 16)}px`;
  }

  /** Everything, for the first time. */
  open() {
    this.fitWindow();
    window.addEventListener("resize", () => this.fitWindow(), this.listening);
    this.controls.render();
    this.relayOut();
    timings.graph_ms = performance.now() - timings.began_ms;
    this.table.refresh();
    this.legend.render();
  }

  relayOut() {
    this.laidOutWidth = this.graph.width;
    this.pointed = null;
    this.tooltip.hide();
    this.graph.place(this.view.layOut(this.laidOutWidth), this.view.state.icicle);
    this.walker.follow();
    if (this.walker.at) this.say(this.walker.at.frame);
    else byId("status").textContent = HINT;
    const empty = byId("graph-empty");
    empty.hidden = this.graph.rows.length > 0;
    empty.textContent = this.view.grandTotal > 0 ? "The selected threads have no samples here." : "The recording has no samples.";
    byId("graph-space").hidden = !empty.hidden;
    this.paint();
  }

  repaint() {
    if (this.repainting) return;
    this.repainting = true;
    requestAnimationFrame(() => {
      this.repainting = false;
      this.paint();
    });
  }

  paint() {
    const { view, colours } = this;
    this.graph.draw({
      colours,
      marked: view.search ? view.search.marked : null,
      selected: view.state.selected,
      fadedInk: view.state.theme === "dark" ? "#d6d9df" : "#4d525b",
      zoomDepth: view.profile.depth[view.state.zoom],
      hover: this.pointed,
      focus: this.graph.box.matches(":focus-visible") ? this.walker.at : null,
      restText: (frame) => this.restText(frame),
      restMarked: (frame) => this.restMarked(frame),
    });
  }

  /** The label of a remainder; cached in it, because it may have many callees. */
  restText(frame) {
    if (frame.width < 60) return "";
    frame.count ??= foldedChildren(this.view.profile, this.view.totals, frame, this.view.scale).length;
    return `${countText(frame.count)} more, ${shareText(frame.value, this.view.visibleTotal)}`;
  }

  /** Whether a remainder hides matches; computed once per search. */
  restMarked(frame) {
    const { view } = this;
    if (!view.search) return false;
    if (frame.searched !== view.search) {
      frame.searched = view.search;
      frame.marked = foldedChildren(view.profile, view.totals, frame, view.scale)
        .some((child) => markedValue(view.profile, view.totals, child, view.search.marked) > 0);
    }
    return frame.marked;
  }

  /** The frame under the pointer, or null. */
  pointAt(hit, event) {
    if (hit?.frame !== this.pointed?.frame) {
      this.pointed = hit;
      if (hit) this.say(hit.frame);
      this.repaint();
    }
    if (hit) this.tooltip.show(this.view, hit.frame, event.clientX, event.clientY);
    else this.tooltip.hide();
  }

  focused(frame) {
    this.say(frame);
    byId("announce").textContent = describeShortly(this.view, frame);
    this.repaint();
  }

  say(frame) {
    const { title, total, self, where } = describe(this.view, frame);
    byId("status").replaceChildren(make("b", { text: title.slice(0, 160) }),
      ` ${where} · total ${total.value}, ${total.ofView}${self ? ` · self ${self.value}, ${self.ofView}` : ""}`);
  }

  renderMatches() {
    const { view } = this;
    const result = byId("search-result");
    if (view.searchError) {
      result.replaceChildren(view.searchError);
    } else if (!view.search) {
      result.replaceChildren();
    } else {
      const matched = view.matchedValue;
      const share = shareText(matched, view.visibleTotal);
      result.replaceChildren(`${share} `, make("span", { class: "soft",
        text: `matched · ${valueText(matched, view.profile.unit)} · ${plural(view.search.count, "function", "functions")}` }));
    }
    byId("announce").textContent = result.textContent;
  }

  timeSearch() {
    const started = this.searchStarted ?? performance.now();
    this.searchStarted = undefined;
    afterPaint(() => { timings.search_ms = performance.now() - started; });
  }
}
