// Description of a frame, shared by tooltip, status line and announcements.

/** Module and kind of a function, or a description of a group. */
function placeText({ module, kind }) {
  if (kind === KIND.ROOT) return "all samples";
  if (kind === KIND.TRUNCATED) return "truncated stacks: callers of these frames are not known";
  if (kind === KIND.WAKER) return "what ended the wait below; above: the waker's functions, innermost first";
  return `${module} · ${KIND_NAME[kind]}`;
}

/** What a frame is and weighs, ready to be shown. */
function describe(view, frame) {
  const { profile, totals, grandTotal, visibleTotal } = view;
  const shares = (value) => ({
    value: valueText(value, profile.unit),
    ofView: shareText(value, visibleTotal),
    ofAll: shareText(value, grandTotal),
  });
  if (frame.folded) {
    const children = foldedChildren(profile, totals, frame, view.scale);
    const samples = children.reduce((sum, child) => sum + totals.totalSamples[child], 0);
    return {
      title: `${plural(children.length, "more frame", "more frames")}, each narrower than a pixel`,
      where: `called by ${view.nameAt(frame.node)}`,
      total: { ...shares(frame.value), samples: countText(samples) },
      lines: children.slice(0, 4).map((child) => [view.nameAt(child), valueText(totals.total[child], profile.unit)]),
      linesTitle: "the heaviest frames",
    };
  }
  const { node } = frame;
  const { lines } = view.functionAt(node);
  return {
    title: view.nameAt(node),
    where: placeText(view.functionAt(node)),
    slots: slotsText(profile, profile.functionOf[node]),
    total: { ...shares(totals.total[node]), samples: countText(totals.totalSamples[node]) },
    self: { ...shares(totals.self[node]), samples: countText(totals.selfSamples[node]) },
    lines: lines.slice(0, 3).map(([at, samples]) => [at, plural(samples, "sample", "samples")]),
    linesTitle: "hottest lines of the function",
  };
}

function describeShortly(view, frame) {
  const { title, total, self } = describe(view, frame);
  const own = self ? `, self ${self.value}` : "";
  return `${title}: ${total.value}, ${total.ofView} of view${own}`;
}

class Tooltip {
  constructor(element) {
    this.element = element;
  }

  show(view, frame, x, y) {
    if (this.frame !== frame) {
      this.frame = frame;
      this.fill(view, describe(view, frame));
    }
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    const left = Math.max(8, Math.min(x + 14, window.innerWidth - width - 12));
    const below = y + 20 + height < window.innerHeight;
    const top = below ? y + 20 : Math.max(8, y - height - 14);
    this.element.style.transform = `translate(${left}px, ${top}px)`;
  }

  fill(view, description) {
    const rows = ["total", "self"].filter((key) => description[key]).map((key) => make("tr", {},
      make("th", { scope: "row", text: key === "total" ? "Total" : "Self" }),
      make("td", { class: "number", text: description[key].value }),
      make("td", { class: "number", text: description[key].ofView }),
      make("td", { class: "number", text: description[key].ofAll }),
      make("td", { class: "number", text: description[key].samples })));
    const head = make("tr", {}, ...["", "", "of view", "of all", "samples"].map((text) => make("th", { class: "number", text })));
    const lines = description.lines.map(([place, samples]) => make("tr", {},
      make("td", { class: "name", text: place.length > 90 ? `…${place.slice(-88)}` : place }), make("td", { class: "number soft", text: samples })));
    this.element.replaceChildren(
      make("p", { class: "title clamped", text: description.title }),
      make("p", { class: "where clamped", text: description.where }),
      make("table", {}, make("tbody", {}, head, ...rows)),
      ...(description.slots ? [make("p", { class: "where clamped", text: description.slots })] : []),
      ...(lines.length ? [make("h3", { text: description.linesTitle }), make("table", {}, make("tbody", {}, ...lines))] : []));
  }

  hide() {
    this.element.hidden = true;
    this.frame = null;
  }
}
