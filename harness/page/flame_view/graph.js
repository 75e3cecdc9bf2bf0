// The graph on its canvas: only visible rows are drawn; the frame under the pointer is looked up by row.

const ROW_PX = 20;
const MIN_TEXT_PX = 28;
const MEASURED_CHARS = 240;

class Graph {
  constructor(view, elements) {
    this.view = view;
    this.box = elements.box; // what scrolls
    this.space = elements.space; // as high as all rows
    this.canvas = elements.canvas;
    this.context = this.canvas.getContext("2d");
    this.rows = [];
    this.nameWidth = new Float32Array(view.profile.functions.length);
    this.shortNames = new Array(view.profile.functions.length);
    this.font = `12px ${getComputedStyle(document.documentElement).getPropertyValue("--font")}`;
  }

  get width() {
    return Math.max(100, this.box.clientWidth - 24);
  }

  /** Sets the rows to be drawn; the flame grows upwards unless `icicle`. */
  place(rows, icicle) {
    const turned = icicle !== this.icicle || rows.length !== this.rows.length;
    this.rows = rows;
    this.icicle = icicle;
    this.space.style.height = `${rows.length * ROW_PX}px`;
    if (turned && !icicle) this.box.scrollTop = this.box.scrollHeight;
    else if (turned) this.box.scrollTop = 0;
  }

  topOf(row) {
    return (this.icicle ? row : this.rows.length - 1 - row) * ROW_PX;
  }

  rowAt(y) {
    const row = Math.floor(y / ROW_PX);
    return this.icicle ? row : this.rows.length - 1 - row;
  }

  /** The frame under a point of the window, with its row; null beside all frames. */
  hit(clientX, clientY) {
    const at = this.space.getBoundingClientRect();
    const row = this.rowAt(clientY - at.top);
    const frame = this.rows[row] && frameAt(this.rows[row], clientX - at.left);
    return frame ? { row, frame } : null;
  }

  fitCanvas() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.width, height = Math.min(this.box.clientHeight, this.rows.length * ROW_PX) || 1;
    const pixelWidth = Math.round(width * ratio), pixelHeight = Math.round(height * ratio);
    if (this.canvas.width !== pixelWidth || this.canvas.height !== pixelHeight) {
      this.canvas.width = pixelWidth;
      this.canvas.height = pixelHeight;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { width, height };
  }

  /** Draws the rows in sight. `look`: colours, marks, and the frames under pointer and focus. */
  draw(look) {
    const { width, height } = this.fitCanvas();
    const canvasTop = Math.max(0, this.canvas.getBoundingClientRect().top - this.space.getBoundingClientRect().top);
    const { context } = this;
    context.fillStyle = look.colours.paper;
    context.fillRect(0, 0, width, height);
    context.font = this.font;
    context.textBaseline = "middle";
    for (let row = 0; row < this.rows.length; row++) {
      const top = this.topOf(row) - canvasTop;
      if (top <= -ROW_PX || top >= height) continue;
      const above = row < look.zoomDepth;
      for (const frame of this.rows[row]) this.drawFrame(frame, top, look, above);
    }
    this.outline(look.hover, canvasTop, look.colours, 1);
    this.outline(look.focus, canvasTop, look.colours, 2);
  }

  drawFrame(frame, top, look, above) {
    const { context } = this, { profile } = this.view;
    const { colours, marked } = look;
    const gap = frame.width > 3 ? 1 : frame.width > 1.5 ? 0.5 : 0;
    const x = frame.x, width = frame.width - gap;
    if (frame.folded) {
      context.fillStyle = look.restMarked(frame) ? colours.match : colours.rest;
      context.fillRect(x, top, width, ROW_PX - 1);
      this.write(look.restText(frame), x, top, width, colours.faint);
      return;
    }
    const f = profile.functionOf[frame.node];
    const isMatch = marked !== null && marked[f] === 1;
    const isSelected = look.selected === f;
    context.globalAlpha = (marked !== null && !isMatch) || above ? 0.45 : 1;
    context.fillStyle = isMatch ? colours.match : colours.fills[f];
    context.fillRect(x, top, width, ROW_PX - 1);
    drawMarks(context, profile.function_kind[f], { x, y: top, width, height: ROW_PX - 1 });
    context.globalAlpha = 1;
    if (isSelected && width > 2) {
      context.fillStyle = colours.focus;
      context.fillRect(x, top + ROW_PX - 3, width, 2);
    }
    const faded = (marked !== null && !isMatch) || above;
    this.writeName(f, x, top, width, faded ? look.fadedInk : colours.ink);
  }

  writeName(f, x, top, width, ink) {
    if (width < MIN_TEXT_PX) return;
    const name = this.view.profile.functions[f].name.slice(0, MEASURED_CHARS);
    if (!this.nameWidth[f]) this.nameWidth[f] = this.context.measureText(name).width || 1;
    const room = width - 8;
    if (this.nameWidth[f] <= room) {
      this.writeCut(name, this.nameWidth[f], x, top, { room, ink });
    } else {
      this.shortNames[f] ??= shortName(name);
      this.writeCut(this.shortNames[f], this.context.measureText(this.shortNames[f]).width, x, top, { room, ink });
    }
  }

  write(text, x, top, width, ink) {
    if (width < MIN_TEXT_PX || !text) return;
    this.writeCut(text, this.context.measureText(text).width, x, top, { room: width - 8, ink });
  }

  writeCut(text, textWidth, x, top, { room, ink }) {
    let shown = text;
    if (textWidth > room) {
      const fits = Math.floor((room - 9) / (textWidth / text.length));
      if (fits < 2) return;
      shown = `${text.slice(0, fits)}…`;
      while (shown.length > 2 && this.context.measureText(shown).width > room) shown = `${shown.slice(0, -2)}…`;
    }
    this.context.fillStyle = ink;
    this.context.fillText(shown, x + 4, top + ROW_PX / 2);
  }

  outline(at, canvasTop, colours, thickness) {
    if (!at) return;
    const { frame, row } = at;
    const top = this.topOf(row) - canvasTop, inset = thickness / 2;
    this.context.strokeStyle = colours.focus;
    this.context.lineWidth = thickness;
    const width = Math.max(1, frame.width - thickness);
    this.context.strokeRect(frame.x + inset, top + inset, width, ROW_PX - 1 - thickness);
  }

  /** Scrolls a row into view. */
  reveal(row) {
    const top = this.topOf(row), { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    else if (top + ROW_PX + 16 > scrollTop + clientHeight) this.box.scrollTop = top + ROW_PX + 16 - clientHeight;
  }
}
