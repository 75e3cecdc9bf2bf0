'use strict';
// Serves JSON for some seconds and writes its port to a file: node http_server.js serve SECONDS FILE
// Sends requests until the server ends: node http_server.js load PORT
const http = require('node:http');
const fs = require('node:fs');

function makeRows(count) {
  const rows = [];
  for (let i = 0; i < count; i++) rows.push({ id: i, name: `row ${i}`, value: (i * 7919) % 1009 });
  return rows;
}
function sortRows(rows) { return rows.sort(function byValue(a, b) { return a.value - b.value; }); }
function render(rows) { return JSON.stringify({ rows, total: rows.reduce(function add(sum, row) { return sum + row.value; }, 0) }); }
function search(text) { return (text.match(/"name":"row [0-9]*7"/g) || []).length; }

function answer(request, response) {
  const text = render(sortRows(makeRows(120)));
  response.setHeader('x-found', search(text));
  response.end(text);
}

function load(port) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  function next() {
    http.get({ port, agent }, (response) => { response.resume(); response.on('end', next); })
      .on('error', () => process.exit());
  }
  for (let i = 0; i < 8; i++) next();
}

const [mode, number, file] = process.argv.slice(2);
if (mode === 'load') {
  load(Number(number));
} else {
  const server = http.createServer(answer).listen(0, '127.0.0.1', () => {
    fs.writeFileSync(`${file}.new`, String(server.address().port));
    fs.renameSync(`${file}.new`, file);
    setTimeout(() => process.exit(), 1000 * Number(number));
  });
}
