// Toolbar, zoom path, pointer and keys: user actions change the state of the view.

class Controls {
  constructor(page) {
    this.page = page;
    this.view = page.view;
    this.bindButtons();
    this.offerInlined();
    this.offerWakers();
    this.offerSlots();
    this.bindSearch();
    this.bindPointer();
    this.bindKeys();
  }

  bindButtons() {
    const { view } = this;
    const press = (id, changes) => byId(id).addEventListener("click", () => view.update(changes()));
    press("as-flame", () => ({ icicle: false }));
    press("as-icicle", () => ({ icicle: true }));
    press("by-weight", () => ({ byName: false }));
    press("by-name", () => ({ byName: true }));
    press("theme", () => ({ theme: view.state.theme === "dark" ? "light" : "dark" }));
    press("by-place", () => ({ bySlots: false }));
    press("by-slots", () => ({ bySlots: true }));
    press("inlined", () => ({ inlined: !view.state.inlined }));
    press("wakers", () => ({ wakers: !view.state.wakers }));
    press("search-regex", () => ({ regex: !view.state.regex }));
    byId("reset").addEventListener("click", () => this.reset());
    byId("help-open").addEventListener("click", () => byId("help").showModal());
    byId("save-svg").addEventListener("click", () => {
      savePicture(view, this.page.graph.width, this.page.colours);
    });
  }

  offerInlined() {
    const button = byId("inlined");
    button.disabled = !this.view.hasInlined;
    button.title = this.view.hasInlined
      ? "Inlined functions as separate frames, or as part of the function that contains their code (n)"
      : "This page has no inlined functions: stallscope report --inlined adds them if files have debug information";
  }

  offerWakers() {
    byId("wakers-shown").hidden = !this.view.hasWakers;
  }

  offerSlots() {
    if (!this.view.hasSlots) return;
    const { by, title } = this.view.whole.slots;
    byId("colouring").hidden = false;
    byId("by-slots").textContent = by === "IPC" ? "By IPC" : "By slots";
    byId("by-slots").title = by === "IPC"
      ? "Colour by instructions per cycle of a function (s)"
      : `Colour by the category with most pipeline slots of a function, ${title} (s)`;
  }

  bindSearch() {
    const input = byId("search");
    input.addEventListener("input", () => {
      this.page.searchStarted = performance.now();
      this.view.update({ query: input.value });
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.view.update({ query: "" });
      byId("graph").focus();
    });
  }

  bindPointer() {
    const { page } = this;
    const { graph } = page;
    const canvas = graph.canvas;
    canvas.addEventListener("pointermove", (event) => page.pointAt(graph.hit(event.clientX, event.clientY), event));
    canvas.addEventListener("pointerleave", () => page.pointAt(null));
    canvas.addEventListener("click", (event) => {
      const hit = graph.hit(event.clientX, event.clientY);
      if (!hit || event.detail > 1) return;
      page.walker.at = hit;
      this.zoomTo(hit.frame);
    });
    canvas.addEventListener("dblclick", (event) => {
      event.preventDefault();
      this.reset();
    });
    graph.box.addEventListener("scroll", () => {
      page.pointAt(null);
      page.repaint();
    }, { passive: true });
    graph.box.addEventListener("blur", () => page.repaint());
    graph.box.addEventListener("focus", () => {
      if (graph.box.matches(":focus-visible") && !page.walker.at) page.walker.start();
    });
  }

  zoomTo(frame) {
    const { view } = this;
    const selected = frame.folded || frame.node === 0 ? view.state.selected : view.profile.functionOf[frame.node];
    view.update({ zoom: frame.node, selected });
  }

  zoomOut() {
    this.view.update({ zoom: Math.max(0, this.view.profile.parent[this.view.state.zoom]) });
  }

  reset() {
    this.view.update({ zoom: 0, query: "", selected: -1 });
    if (this.view.state.shown) this.page.threads.reset();
  }

  /** Escape undoes one step at a time, the most recent kind first. */
  escape() {
    const { view, page } = this;
    page.pointAt(null);
    if (page.threads.isOpen) page.threads.toggle(false);
    else if (view.state.query) view.update({ query: "" });
    else if (view.state.zoom) view.update({ zoom: 0 });
    else this.reset();
  }

  bindKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
      if (event.target.matches("input:not([type=checkbox])") && event.key !== "Escape") return;
      if (this.key(event)) event.preventDefault();
    }, this.page.listening);
  }

  key(event) {
    const { page, view } = this;
    const inGraph = document.activeElement === byId("graph");
    if (inGraph && page.walker.key(event)) return true;
    const actions = {
      "/": () => { byId("search").focus(); byId("search").select(); },
      "?": () => byId("help").showModal(),
      i: () => view.update({ icicle: !view.state.icicle }),
      t: () => page.threads.toggle(),
      n: () => view.hasInlined && view.update({ inlined: !view.state.inlined }),
      w: () => view.hasWakers && view.update({ wakers: !view.state.wakers }),
      s: () => view.hasSlots && view.update({ bySlots: !view.state.bySlots }),
      Escape: () => this.escape(),
      Backspace: () => this.zoomOut(),
    };
    if (inGraph && event.key === "Enter" && page.walker.at) {
      this.zoomTo(page.walker.at.frame);
      return true;
    }
    if (!Object.hasOwn(actions, event.key)) return false;
    actions[event.key]();
    return true;
  }

  /** Brings buttons, search field and zoom path in line with the state. */
  render() {
    const { state } = this.view;
    const pressed = { "as-flame": !state.icicle, "as-icicle": state.icicle, "by-weight": !state.byName,
      "by-name": state.byName, "search-regex": state.regex, "inlined": state.inlined && this.view.hasInlined, "wakers": state.wakers,
      "by-place": !state.bySlots, "by-slots": state.bySlots };
    for (const [id, on] of Object.entries(pressed)) byId(id).setAttribute("aria-pressed", String(on));
    const input = byId("search");
    if (input.value !== state.query) input.value = state.query;
    input.classList.toggle("invalid", this.view.searchError !== "");
    byId("reset").disabled = !state.zoom && !state.query && !state.shown && state.selected < 0;
    document.documentElement.dataset.theme = state.theme;
    this.renderPath();
  }

  renderPath() {
    const path = this.view.pathTo(this.view.state.zoom);
    const step = (node) => make("li", {}, make("button", {
      type: "button", text: this.view.nameAt(node).slice(0, 200), title: this.view.nameAt(node),
      "aria-current": node === this.view.state.zoom ? "true" : undefined,
      click: () => this.view.update({ zoom: node }),
    }));
    const gap = make("li", { class: "gap", text: `${countText(path.length - 6)} frames` });
    const steps = path.length > 8 ? [...path.slice(0, 2).map(step), gap, ...path.slice(-4).map(step)] : path.map(step);
    byId("path").replaceChildren(...steps);
  }
}
