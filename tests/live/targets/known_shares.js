'use strict';
// Runs functions in turn and prints the CPU time of the process in each, as one JSON line.
const end = Date.now() + 1000 * Number(process.argv[2] || 3);
const used = {};
let sink = 0;

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function recursion() { sink += fib(25); }

function plus(a) { return a + 3; }
function times(a) { return plus(a) * 5 % 1000003; }
function inlined() { let a = 1; for (let i = 0; i < 1e6; i++) a = times(a) ^ plus(a); sink += a; }

class Point {
  constructor(x, y) { this.x = x; this.y = y; }
  moved(by) { return new Point(this.x + by.x, this.y + by.y); }
}
function classes() { let p = new Point(0, 0); for (let i = 0; i < 2e5; i++) p = p.moved(p); sink += p.x; }

const document = JSON.parse('{"a":[1,2,3,{"b":"text","c":null}],"d":{"e":1.5,"f":"x"}}');
function json() { for (let i = 0; i < 4000; i++) sink += JSON.stringify(JSON.parse(JSON.stringify(document))).length; }

const text = 'the quick brown fox jumps over 42 lazy dogs '.repeat(20);
function regexp() { for (let i = 0; i < 300; i++) sink += text.match(/(\w+)\s(\d+)\s(\w+)/g).length; }

function sorting() {
  const values = Array.from({ length: 10000 }, (_, i) => (i * 7919) % 20011);
  values.sort(function byValue(x, y) { return x - y; });
  sink += values[5];
}

function* numbers(n) { for (let i = 0; i < n; i++) yield i; }
function generator() { for (const i of numbers(100000)) sink += i; }

const closuresMade = Array.from({ length: 100 }, (_, i) => (x) => x + i);
function closures() { for (let k = 0; k < 2000; k++) for (const add of closuresMade) sink = add(sink) % 1009; }

function naïve() { let s = 0; for (let i = 0; i < 600000; i++) s += Math.sqrt(i); sink += s; }

const loads = { recursion, inlined, classes, json, regexp, sorting, generator, closures, naïve };

function measured(name, load) {
  const before = process.cpuUsage();
  load();
  const { user, system } = process.cpuUsage(before);
  used[name] = (used[name] || 0) + user + system;
}

while (Date.now() < end) for (const [name, load] of Object.entries(loads)) measured(name, load);
console.log(JSON.stringify(used));
