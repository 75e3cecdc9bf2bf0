// Keyboard use of the graph: a focused frame that moves, zooms and is announced.

class Walker {
  constructor(view, graph, onMove) {
    this.view = view;
    this.graph = graph;
    this.onMove = onMove;
    this.at = null; // {row, frame}
  }

  /** Finds the focused node again after a change of layout, or forgets it. */
  follow() {
    if (!this.at) return;
    const { node, folded } = this.at.frame;
    const row = this.graph.rows[this.at.row];
    const same = (frames, at) => frames?.find((frame) => frame.node === node && frame.folded === folded) && at;
    const rowIndex = same(row, this.at.row) ?? this.graph.rows.findIndex((frames) => same(frames, true));
    if (rowIndex === undefined || rowIndex < 0) this.at = null;
    else this.at = { row: rowIndex, frame: this.graph.rows[rowIndex].find((frame) => frame.node === node && frame.folded === folded) };
  }

  start() {
    const row = this.view.pathTo(this.view.state.zoom).length - 1;
    if (this.graph.rows[row]) this.moveTo(row, this.graph.rows[row][0]);
  }

  moveTo(row, frame) {
    this.at = { row, frame };
    this.graph.reveal(row);
    this.onMove(frame);
  }

  /** Walks to the caller (-1) or to the widest callee (+1). */
  step(towards) {
    if (!this.at) return this.start();
    const { row, frame } = this.at;
    const next = this.graph.rows[row + towards];
    if (!next) return;
    const middle = frame.x + frame.width / 2;
    if (towards < 0) {
      const caller = frameAt(next, middle);
      if (caller) this.moveTo(row - 1, caller);
      return;
    }
    if (frame.folded) return;
    const inside = next.filter((child) => child.x + 1e-6 >= frame.x && child.x < frame.x + frame.width - 1e-6);
    if (inside.length) this.moveTo(row + 1, inside.reduce((a, b) => (b.width > a.width ? b : a)));
  }

  /** Walks to the neighbour in the row: left (-1) or right (+1). */
  slide(towards) {
    if (!this.at) return this.start();
    const frames = this.graph.rows[this.at.row];
    const next = frames[frames.indexOf(this.at.frame) + towards];
    if (next) this.moveTo(this.at.row, next);
  }

  /** Returns whether the key moves the focus. */
  key(event) {
    const upwards = this.view.state.icicle ? -1 : 1;
    const steps = { ArrowUp: () => this.step(upwards), ArrowDown: () => this.step(-upwards),
      ArrowLeft: () => this.slide(-1), ArrowRight: () => this.slide(1), Home: () => this.start() };
    if (!Object.hasOwn(steps, event.key)) return false;
    steps[event.key]();
    return true;
  }
}
