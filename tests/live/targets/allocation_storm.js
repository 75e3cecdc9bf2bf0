// Allocates without pause, or computes in functions named as those of a collector.
const end = Date.now() + 60000;
if (process.argv[2] === 'storm') {
  const kept = [];
  for (let i = 0; Date.now() < end; ) {
    for (let k = 0; k < 1000; k++, i++) kept[i % 300000] = { a: i, b: [i, i + 1], c: 'x' + i };
  }
} else {
  const gc = (count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += (sum ^ i) % 31;
    return sum;
  };
  class Heap {
    Scavenge(count) {
      return gc(count);
    }
  }
  const heap = new Heap();
  let sum = 0;
  while (Date.now() < end) sum += heap.Scavenge(100000);
  console.log(sum);
}
