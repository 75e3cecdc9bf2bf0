// Makes objects and keeps the last 20,000, until SIGTERM; the collector frees the others.
const computes = process.argv.includes('compute'); // allocates nothing
let sum = 0;
const kept = [];
const names = Array.from({ length: 100 }, (_, i) => 'x' + i);
const make = (i) => ({ a: i, b: [i, i + 1], c: names[i % 100] });
for (let i = 0; i < 20000; i++) kept.push(make(i));
let units = 0;
let ended = false;
const began = process.hrtime.bigint();
process.on('SIGTERM', () => { ended = true; });
function chunk() {
  for (let k = 0; k < 20000; k++, units++) {
    const place = units % 20000;
    if (computes) {
      for (let i = 0; i < 50; i++) sum += (sum ^ i) % 31;
    } else {
      kept[place] = make(units);
    }
  }
  if (!ended) return setImmediate(chunk);
  const elapsed = Number(process.hrtime.bigint() - began);
  console.log(JSON.stringify({ schema: 'stallscope.kernels/1', iterations: units, elapsed_ns: elapsed, parameters: { threads: 1 } }));
  process.exit(0);
}
chunk();
