// Marks distinguish kinds without colours: lines over the fill, on canvas, on paper and in the legend.

const MIN_MARK_PX = 4;
const SWATCH = { x: 0, y: 0, width: 16, height: 11 };

/** The lines that mark a frame of a kind: {x1, y1, x2, y2, thickness, dash, strength}. */
function marksOf(kind, { x, y, width, height }) {
  const across = (at, thickness, dash, strength) =>
    ({ x1: x, y1: at, x2: x + width, y2: at, thickness, dash, strength });
  if (width < MIN_MARK_PX) return [];
  switch (kind) {
    case KIND.KERNEL: return [across(y + 1, 2, [], 0.2)];
    case KIND.INLINED: return [across(y + height - 1, 2, [5, 3], 0.3)];
    case KIND.UNKNOWN: return [across(y + height - 1, 2, [2, 3], 0.3)];
    case KIND.PYTHON: case KIND.JAVASCRIPT: case KIND.JAVA: return [{ x1: x + 1.5, y1: y, x2: x + 1.5, y2: y + height, thickness: 3, dash: [], strength: 0.35 }];
    case KIND.TRUNCATED: return [across(y + height / 2, height, [3, 5], 0.1)];
    default: return [];
  }
}

function drawMarks(context, kind, box) {
  for (const line of marksOf(kind, box)) {
    context.strokeStyle = `rgb(0 0 0 / ${line.strength * 100}%)`;
    context.lineWidth = line.thickness;
    context.setLineDash(line.dash);
    context.beginPath();
    context.moveTo(line.x1, line.y1);
    context.lineTo(line.x2, line.y2);
    context.stroke();
  }
  context.setLineDash([]);
}

function markLines(kind, box) {
  const at = (value) => value.toFixed(2);
  return marksOf(kind, box).map((line) => makeSvg("line", {
    x1: at(line.x1), y1: at(line.y1), x2: at(line.x2), y2: at(line.y2), stroke: "#000", "stroke-opacity": line.strength,
    "stroke-width": line.thickness, "stroke-dasharray": line.dash.length ? line.dash.join(" ") : undefined,
  }));
}

/** A small frame of a kind, as the legend and tables show it. */
function swatch(colours, kind) {
  return frameMark(colours.swatch(kind), ...markLines(kind, SWATCH));
}

function frameMark(fill, ...lines) {
  return makeSvg("svg", { class: "swatch", viewBox: "0 0 16 11", "aria-hidden": "true" },
    makeSvg("rect", { ...SWATCH, fill }), ...lines);
}
