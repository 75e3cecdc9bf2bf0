// A frame in words: tooltip, status line and announcements say the same.

/** Where a function lives, or what stands in its place. */
function placeText({ module, kind }) {
  if (kind === KIND.ROOT) return "everything that was sampled";
  if (kind === KIND.TRUNCATED) return "stacks that are cut short: who called what stands on it is not known";
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
      linesTitle: "the heaviest of them",
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

  fill(view, said) {
    const rows = ["total", "self"].filter((key) => said[key]).map((key) => make("tr", {},
      make("th", { scope: "row", text: key === "total" ? "Total" : "Self" }),
      make("td", { class: "number", text: said[key].value }),
      make("td", { class: "number", text: said[key].ofView }),
      make("td", { class: "number", text: said[key].ofAll }),
      make("td", { class: "number", text: said[key].samples })));
    const head = make("tr", {}, ...["", "", "of view", "of all", "samples"].map((text) => make("th", { class: "number", text })));
    const lines = said.lines.map(([at, much]) => make("tr", {},
      make("td", { class: "name", text: at.length > 90 ? `…${at.slice(-88)}` : at }), make("td", { class: "number soft", text: much })));
    this.element.replaceChildren(
      make("p", { class: "title clamped", text: said.title }),
      make("p", { class: "where clamped", text: said.where }),
      make("table", {}, make("tbody", {}, head, ...rows)),
      ...(said.slots ? [make("p", { class: "where clamped", text: said.slots })] : []),
      ...(lines.length ? [make("h3", { text: said.linesTitle }), make("table", {}, make("tbody", {}, ...lines))] : []));
  }

  hide() {
    this.element.hidden = true;
    this.frame = null;
  }
}
