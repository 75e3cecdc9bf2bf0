// The graph as SVG for printing and saving: vectors, searchable text, no script.

const PICTURE_ROW_PX = 18;
const CHAR_PX = 6.6;
const ROWS_BESIDE_TEXT = 24;

/** An SVG element with the rows as they are laid out over `width`. */
function picture(view, rows, width, colours) {
  const height = rows.length * PICTURE_ROW_PX + 2;
  const svg = makeSvg("svg", {
    xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif", "font-size": 11,
  });
  svg.append(makeSvg("rect", { width, height, fill: colours.paper }));
  rows.forEach((row, depth) => {
    const y = (view.state.icicle ? depth : rows.length - 1 - depth) * PICTURE_ROW_PX + 1;
    for (const frame of row) svg.append(pictureFrame(view, frame, y, colours));
  });
  return svg;
}

function pictureFrame(view, frame, y, colours) {
  const f = view.profile.functionOf[frame.node];
  const isMatch = !frame.folded && view.search?.marked[f] === 1;
  const fill = frame.folded ? colours.rest : isMatch ? colours.match : colours.fills[f];
  const group = makeSvg("g", {}, makeSvg("title", { text: describeShortly(view, frame) }),
    makeSvg("rect", {
      x: frame.x.toFixed(2), y, width: Math.max(0.3, frame.width - 0.6).toFixed(2), height: PICTURE_ROW_PX - 1, fill,
    }));
  if (!frame.folded) {
    const box = { x: frame.x, y, width: frame.width - 0.6, height: PICTURE_ROW_PX - 1 };
    group.append(...markLines(view.profile.function_kind[f], box));
  }
  const name = frame.folded ? "" : view.nameAt(frame.node);
  const fits = Math.floor((frame.width - 6) / CHAR_PX);
  if (name && fits >= 3) {
    const part = name.length > fits ? shortName(name) : name;
    const text = part.length > fits ? `${part.slice(0, fits - 1)}…` : part;
    group.append(makeSvg("text", { x: (frame.x + 3).toFixed(2), y: y + PICTURE_ROW_PX - 6, fill: colours.ink, text }));
  }
  return group;
}

/** Offers what is shown as a file. */
function savePicture(view, width, colours) {
  const text = new XMLSerializer().serializeToString(picture(view, view.layOut(width), width, colours));
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  make("a", { href: address, download: "flame.svg" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Puts the graph on paper, in light colours, and takes it away afterwards. */
function printGraph(view, listening, afterwards) {
  const width = 1100, place = byId("print-graph");
  window.addEventListener("beforeprint", () => {
    const colours = coloursOf(view, "light");
    const rows = view.layOut(width);
    place.replaceChildren(picture(view, rows, width, colours));
    // A deep graph is printed on a separate page after the functions, so that no page starts empty.
    const isDeep = rows.length > ROWS_BESIDE_TEXT;
    place.classList.toggle("deep", isDeep);
    byId("static-functions").insertAdjacentElement(isDeep ? "afterend" : "beforebegin", place);
  }, listening);
  window.addEventListener("afterprint", () => {
    place.replaceChildren();
    afterwards();
  }, listening);
}
