// The tree without some of its nodes: their weight is added to the nodes below them, such as that of
// inlined functions to the functions that contain their code.

/** Whether each node is of an inlined function (if not `inlined`) or of a waker (if not `wakers`). */
function hiddenNodes(whole, { inlined, wakers }) {
  const { count, parent, functionOf, function_kind } = whole;
  const hidden = new Uint8Array(count);
  for (let i = 1; i < count; i++) {
    const kind = function_kind[functionOf[i]];
    if (!inlined && kind === KIND.INLINED) hidden[i] = 1;
    // All functions above the frame that names a waker are the waker's.
    if (!wakers && (kind === KIND.WAKER || hidden[parent[i]] === 2)) hidden[i] = 2;
  }
  return hidden;
}

/**
 * Merges the hidden nodes with their callers: {tree, nodeOf, origin}. Callees that occur twice below
 * a caller are merged. `nodeOf`: new node of each node of `whole`; `origin`: a node of `whole` for
 * each new node.
 */
function withoutNodes(whole, hidden) {
  const merged = mergedNodes(whole, hidden);
  const { tree, number } = inOrder(whole, merged);
  const nodeOf = merged.of.map((node) => number[node]);
  const origin = new Int32Array(tree.count);
  for (let i = whole.count - 1; i >= 0; i--) {
    if (!hidden[i]) origin[nodeOf[i]] = i;
  }
  tree.weightNode = whole.weightNode.map((node) => nodeOf[node]);
  return { tree, nodeOf, origin };
}

/** Merged nodes, callers first: {count, parent, functionOf}, and the new node of each node. */
function mergedNodes({ count, parent, functionOf }, hidden) {
  const of = new Int32Array(count), parents = new Int32Array(count), owners = new Int32Array(count);
  // By (caller, function), open addressing: a Map of millions of keys takes seconds.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(count + 1) + 1)).fill(-1);
  const mask = slots.length - 1;
  parents[0] = -1;
  owners[0] = functionOf[0];
  let made = 1;
  for (let i = 1; i < count; i++) {
    const above = of[parent[i]], f = functionOf[i];
    if (hidden[i]) {
      of[i] = above;
      continue;
    }
    const hash = Math.imul(above, 0x9e3779b1) ^ Math.imul(f, 0x85ebca6b);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let node = slots[slot]; node >= 0 && (parents[node] !== above || owners[node] !== f); node = slots[slot]) {
      slot = (slot + 1) & mask;
    }
    if (slots[slot] < 0) {
      parents[made] = above;
      owners[made] = f;
      slots[slot] = made++;
    }
    of[i] = slots[slot];
  }
  return { count: made, parent: parents.subarray(0, made), functionOf: owners.subarray(0, made), of };
}

/** The merged nodes in drawing order, the heaviest first and truncated chains last. */
function inOrder(whole, { count, parent, functionOf, of }) {
  const total = new Float64Array(count), size = new Int32Array(count).fill(1);
  const first = new Int32Array(count + 1), children = new Int32Array(count);
  whole.weightNode.forEach((node, i) => { total[of[node]] += whole.weightValue[i]; });
  for (let i = count - 1; i > 0; i--) {
    total[parent[i]] += total[i];
    size[parent[i]] += size[i];
    first[parent[i] + 1]++;
  }
  for (let i = 0; i < count; i++) first[i + 1] += first[i];
  const next = first.slice();
  for (let i = 1; i < count; i++) children[next[parent[i]]++] = i;
  const isCut = (node) => Number(whole.function_kind[functionOf[node]] === KIND.TRUNCATED);
  const order = (a, b) => isCut(a) - isCut(b) || total[b] - total[a];
  const tree = {
    ...whole, count, parent: new Int32Array(count).fill(-1), functionOf: new Int32Array(count),
    depth: new Int32Array(count), end: new Int32Array(count),
  };
  const number = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const at = number[i];
    tree.functionOf[at] = functionOf[i];
    tree.end[at] = at + size[i];
    let place = at + 1;
    if (first[i + 1] - first[i] > 1) children.subarray(first[i], first[i + 1]).sort(order); // most nodes have one child
    for (let c = first[i]; c < first[i + 1]; c++) {
      const child = children[c];
      number[child] = place;
      tree.parent[place] = at;
      tree.depth[place] = tree.depth[at] + 1;
      place += size[child];
    }
  }
  return { tree, number };
}
