// Decoder of the embedded profile: base64 of sections, compressed if large.

const FORMAT = "stallscope.flame-page/1";

function bytesOfBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "this browser cannot decompress the profile (no DecompressionStream); the tables below are " +
      "complete, the graph needs Chromium 103, Firefox 113, Safari 16.4 or newer");
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads LEB128 varints and length-prefixed sections out of bytes. */
class SectionReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  varint() {
    let value = 0, scale = 1, byte;
    do {
      if (this.at >= this.bytes.length) throw new Error("the profile in this page is truncated");
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return value;
  }

  section() {
    const length = this.varint();
    const section = new SectionReader(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return section;
  }

  column(array) {
    const { bytes } = this;
    for (let i = 0; i < array.length; i++) {
      const byte = bytes[this.at]; // most are a single byte
      if (byte < 128) {
        array[i] = byte;
        this.at++;
      } else {
        array[i] = this.varint();
      }
    }
    return array;
  }
}

/** The tree of a profile: columns over nodes in preorder and over weights. */
async function decodeProfile(carried) {
  if (carried.format !== FORMAT) throw new Error(`expected format ${FORMAT}, found ${carried.format}`);
  let bytes = bytesOfBase64(carried.data);
  if (carried.encoding === "deflate-raw+base64") bytes = await inflated(bytes);
  const reader = new SectionReader(bytes);
  const text = JSON.parse(new TextDecoder().decode(reader.section().bytes));
  const nodes = decodeNodes(reader, text.nodes);
  const weights = decodeWeights(reader, text);
  const bins = text.bins ? decodeBins(reader, text) : null;
  const functions = text.function_name.map((name, index) => ({
    name: text.names[name],
    module: text.modules[text.function_module[index]],
    kind: text.function_kind[index],
    lines: [],
  }));
  for (const [index, lines] of text.lines) functions[index].lines = lines;
  const threads = text.threads.map(([pid, tid, process, name]) => ({ pid, tid, process, name }));
  return { ...nodes, ...weights, ...text, bins, functions, threads };
}

function decodeNodes(reader, count) {
  const popped = reader.section().column(new Int32Array(count));
  const functionOf = reader.section().column(new Int32Array(count));
  const parent = new Int32Array(count);
  const depth = new Int32Array(count);
  const end = new Int32Array(count);
  let above = -1;
  for (let i = 0; i < count; i++) {
    for (let left = popped[i]; left > 0; left--) {
      end[above] = i;
      above = parent[above];
    }
    parent[i] = above;
    depth[i] = above < 0 ? 0 : depth[above] + 1;
    above = i;
  }
  for (; above >= 0; above = parent[above]) end[above] = count;
  return { count, functionOf, parent, depth, end };
}

function decodeWeights(reader, text) {
  const count = text.weights;
  const weightNode = reader.section().column(new Int32Array(count));
  for (let i = 1; i < count; i++) weightNode[i] += weightNode[i - 1];
  const weightThread = reader.section().column(new Int32Array(count));
  const weightSamples = reader.section().column(new Float64Array(count));
  const weightValue = reader.section().column(new Float64Array(count));
  addPeriods(weightValue, weightSamples, text.period);
  return { weightNode, weightThread, weightSamples, weightValue };
}

/** Replaces zigzag residuals by values. */
function addPeriods(values, samples, period) {
  for (let i = 0; i < values.length; i++) {
    const coded = values[i];
    const residual = coded % 2 ? -(coded + 1) / 2 : coded / 2;
    values[i] = samples[i] * period + residual;
  }
}

/** Weights by time: {row, bin, samples, value}, and the number of bins and their length. */
function decodeBins(reader, { bins, period }) {
  const row = reader.section().column(new Int32Array(bins.rows));
  for (let i = 1; i < bins.rows; i++) row[i] += row[i - 1];
  const bin = reader.section().column(new Int32Array(bins.rows));
  const samples = reader.section().column(new Float64Array(bins.rows));
  const value = reader.section().column(new Float64Array(bins.rows));
  addPeriods(value, samples, period);
  return { ...bins, row, bin, samples, value };
}
