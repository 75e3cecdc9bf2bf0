// Two threads of recursion, JSON and sorting; each counts its rounds in a file: busy_threads.js FILE.
"use strict";
const fs = require("fs");
const { Worker, isMainThread, workerData } = require("worker_threads");

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function text(size) {
  const rows = Array.from({ length: size }, (_, i) => ({ id: (i * 7919) % 997, name: `row ${i}` }));
  rows.sort((a, b) => a.id - b.id);
  return JSON.parse(JSON.stringify(rows)).length;
}

function run(path, place) {
  const file = fs.openSync(path, "r+");
  const counter = new BigUint64Array(1);
  for (let sum = 0; sum >= 0; ) {
    sum = (sum + fib(17) + text(300)) % 1000;
    counter[0] += 1n;
    fs.writeSync(file, counter, 0, 8, place * 64);
  }
}

if (isMainThread) {
  const path = process.argv[2];
  new Worker(__filename, { workerData: path });
  console.log("runs");
  run(path, 0);
} else {
  run(workerData, 1);
}
