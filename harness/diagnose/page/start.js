// Opens the page: the flame graph by its weights, the timeline, and the links to functions.

/** The flame graph by one of several weights; the elements of the view are made again for each. */
class FlameChoice {
  constructor(flames) {
    this.flames = flames;
    this.place = byId("flame-view");
    this.pristine = this.place.cloneNode(true);
    this.period = null;
    this.page = null;
    this.buttons = [...document.querySelectorAll("[data-weight]")];
    for (const button of this.buttons) button.addEventListener("click", () => this.open(button.dataset.weight));
  }

  /** What the next view keeps of the state of this one. */
  get kept() {
    if (!this.page) return {};
    const { icicle, byName, query, regex, theme } = this.page.view.state;
    return { icicle, byName, query, regex, theme };
  }

  async open(name) {
    const flame = this.flames.find((entry) => entry.name === name);
    this.chosen = name;
    flame.profile ??= await decodeProfile(flame);
    if (this.chosen !== name) return;
    const { kept } = this;
    this.page?.close();
    this.place.replaceChildren(...this.pristine.cloneNode(true).childNodes);
    const period = flame.profile.bins ? this.period : null;
    this.page = new Page(flame.profile, { ...kept, period });
    this.page.open();
    if (kept.query) this.page.renderMatches();
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.weight === name));
    byId("flame-hint").textContent = flame.profile.bins ? flame.hint : `${flame.hint}; not by time, so it shows the whole recording`;
  }

  show(period) {
    this.period = period;
    if (this.page?.view.whole.bins) this.page.view.update({ period });
  }

  search(query) {
    this.page?.view.update({ query, regex: false });
  }
}

async function openAll() {
  timings.began_ms = performance.now();
  const { flames, bins } = JSON.parse(byId("profile").textContent);
  byId("profile").remove();
  document.documentElement.classList.add("js");
  const cells = bins ? new PeriodCells(bins) : null;
  const choice = flames.length && byId("flame-view") ? new FlameChoice(flames) : null;
  if (bins) {
    const timeline = new Timeline(bins, (period) => {
      cells.show(period);
      choice?.show(period);
    });
    Object.defineProperty(window, "stallscopeTimeline", { value: timeline });
  }
  for (const link of document.querySelectorAll("a[data-search]")) {
    link.addEventListener("click", () => choice?.search(link.dataset.search));
  }
  Object.defineProperty(window, "stallscope", { value: Object.freeze({
    timings, shortName, get view() { return choice?.page?.view; },
  }) });
  try {
    if (choice) await choice.open(flames[0].name);
  } catch (error) {
    const failure = byId("failure");
    failure.textContent = `The graph cannot be shown: ${error.message}.`;
    failure.hidden = false;
  }
  timings.script_ms = performance.now() - timings.began_ms;
  afterPaint(() => { document.documentElement.dataset.ready = "true"; });
}

openAll();
