// Weights of nodes and functions for the selected threads.

/** Self and total per node, in the unit of the profile and in samples. */
class Totals {
  constructor(tree) {
    this.tree = tree;
    this.self = new Float64Array(tree.count);
    this.total = new Float64Array(tree.count);
    this.selfSamples = new Float64Array(tree.count);
    this.totalSamples = new Float64Array(tree.count);
  }

  /** Sums the weights of the threads whose byte in `shown` is 1 (null: all) in a period of bins (null: all). */
  sum(shown, period = null) {
    const { tree, self, total, selfSamples, totalSamples } = this;
    const { parent } = tree;
    self.fill(0);
    selfSamples.fill(0);
    if (period) this.addPeriod(shown, period);
    else this.addAll(shown);
    total.set(self);
    totalSamples.set(selfSamples);
    for (let i = tree.count - 1; i > 0; i--) {
      total[parent[i]] += total[i];
      totalSamples[parent[i]] += totalSamples[i];
    }
  }

  addAll(shown) {
    const { self, selfSamples } = this;
    const { weightNode, weightThread, weightSamples, weightValue } = this.tree;
    for (let i = 0; i < weightNode.length; i++) {
      if (shown && !shown[weightThread[i]]) continue;
      self[weightNode[i]] += weightValue[i];
      selfSamples[weightNode[i]] += weightSamples[i];
    }
  }

  addPeriod(shown, { from, to }) {
    const { self, selfSamples } = this;
    const { weightNode, weightThread, bins } = this.tree;
    const { row, bin, samples, value } = bins;
    for (let i = 0; i < row.length; i++) {
      if (bin[i] < from || bin[i] >= to) continue;
      if (shown && !shown[weightThread[row[i]]]) continue;
      self[weightNode[row[i]]] += value[i];
      selfSamples[weightNode[row[i]]] += samples[i];
    }
  }
}

/** Value per thread. */
function threadTotals(tree) {
  const value = new Float64Array(tree.threads.length);
  for (let i = 0; i < tree.weightThread.length; i++) value[tree.weightThread[i]] += tree.weightValue[i];
  return value;
}

/** Per function within the subtree of `from`; a function that recurses counts once per stack. */
function functionTotals(tree, totals, from) {
  const count = tree.functions.length;
  const result = {
    self: new Float64Array(count), total: new Float64Array(count),
    selfSamples: new Float64Array(count), totalSamples: new Float64Array(count),
  };
  const within = new Int32Array(count); // end of the subtree of the outermost frame visited
  for (let i = from; i < tree.end[from]; i++) {
    const f = tree.functionOf[i];
    result.self[f] += totals.self[i];
    result.selfSamples[f] += totals.selfSamples[i];
    if (i < within[f]) continue;
    within[f] = tree.end[i];
    result.total[f] += totals.total[i];
    result.totalSamples[f] += totals.totalSamples[i];
  }
  return result;
}

/** Value of the stacks below `from` with a marked function; a stack counts once. */
function markedValue(tree, totals, from, marked) {
  let value = 0;
  for (let i = from; i < tree.end[from];) {
    if (marked[tree.functionOf[i]]) {
      value += totals.total[i];
      i = tree.end[i];
    } else {
      i++;
    }
  }
  return value;
}

/** Callers and callees of function `f` below `from`, as maps of function to value. */
function neighbours(tree, totals, from, f) {
  const callers = new Map(), callees = new Map(), within = new Map();
  const add = (map, key, value) => value > 0 && map.set(key, (map.get(key) ?? 0) + value);
  let outermostEnd = 0;
  for (let i = from; i < tree.end[from]; i++) {
    const parent = tree.parent[i];
    if (tree.functionOf[i] === f && i >= outermostEnd) {
      outermostEnd = tree.end[i];
      if (parent >= 0) add(callers, tree.functionOf[parent], totals.total[i]);
    }
    if (parent >= from && tree.functionOf[parent] === f) {
      const callee = tree.functionOf[i];
      if (i < (within.get(callee) ?? 0)) continue;
      within.set(callee, tree.end[i]);
      add(callees, callee, totals.total[i]);
    }
  }
  const hot = (map) => [...map].sort((a, b) => b[1] - a[1]);
  return { callers: hot(callers), callees: hot(callees) };
}
