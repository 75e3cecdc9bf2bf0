// Layout of rectangles: frames of at least a pixel, and remainders of the others.

const MIN_PX = 1;

/**
 * The rows of the graph under `zoom`, outermost first. A row is a list of frames from left to
 * right: {x, width, node, value, folded}. The frames above `zoom` fill the width. The children of
 * a frame that are too narrow are combined into a remainder (`folded` true) whose `node` is their caller.
 * What truncated chains stand under is always last, behind the remainder.
 */
function layOut(tree, totals, { zoom, width, byName, filtered, nameRank }) {
  const rows = [];
  for (let node = zoom; node >= 0; node = tree.parent[node]) {
    rows.unshift([{ x: 0, width, node, value: totals.total[node], folded: false }]);
  }
  const whole = totals.total[zoom];
  if (!(whole > 0)) return [];
  const scale = width / whole;
  const order = byName
    ? (a, b) => nameRank[tree.functionOf[a]] - nameRank[tree.functionOf[b]]
    : filtered ? (a, b) => totals.total[b] - totals.total[a] : null;
  const heaviestFirst = !filtered;
  let callers = [rows[rows.length - 1][0]];
  while (callers.length) {
    const row = [];
    for (const caller of callers) {
      layOutChildren(tree, totals, caller, { scale, order, heaviestFirst, row });
    }
    if (row.length) rows.push(row);
    callers = row.filter((frame) => !frame.folded);
  }
  return rows;
}

function layOutChildren(tree, totals, caller, { scale, order, heaviestFirst, row }) {
  const { end } = tree;
  const last = end[caller.node];
  const children = [];
  let rest = totals.total[caller.node] - totals.self[caller.node];
  for (let child = caller.node + 1; child < last; child = end[child]) {
    const value = totals.total[child];
    if (value * scale >= MIN_PX) {
      children.push(child);
      rest -= value;
    } else if (heaviestFirst && caller.node !== 0) {
      break;
    }
  }
  if (order) children.sort(order);
  const isCut = (node) => tree.function_kind[tree.functionOf[node]] === KIND.TRUNCATED;
  let x = caller.x;
  const put = (node, value, folded) => {
    row.push({ x, width: value * scale, node, value, folded });
    x += value * scale;
  };
  for (const node of children) if (!isCut(node)) put(node, totals.total[node], false);
  if (rest * scale >= MIN_PX) put(caller.node, rest, true);
  for (const node of children) if (isCut(node)) put(node, totals.total[node], false);
}

/** The children of `frame.node` that its remainder combines, heaviest first. */
function foldedChildren(tree, totals, frame, scale) {
  const children = [];
  for (let child = frame.node + 1; child < tree.end[frame.node]; child = tree.end[child]) {
    const value = totals.total[child];
    if (value > 0 && value * scale < MIN_PX) children.push(child);
  }
  return children.sort((a, b) => totals.total[b] - totals.total[a]);
}

/** The frame of a row at `x`, or null: rows are sorted, so by bisection. */
function frameAt(row, x) {
  let low = 0, high = row.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1, frame = row[middle];
    if (x < frame.x) high = middle - 1;
    else if (x >= frame.x + frame.width) low = middle + 1;
    else return frame;
  }
  return null;
}
