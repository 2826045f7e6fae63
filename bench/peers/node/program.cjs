"use strict";

// What the programs of all peers on Node share: the roles they are started in, paced sending, and the starts of handlers.

const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");

const PAD = "x".repeat(80);
const BATCH = 5000;

exports.url = process.env.BENCH_URL;

exports.payload = (number) => ({ i: number, pad: PAD });

/** Calls `send` with the payloads of each batch of `count` jobs. */
exports.inBatches = async (count, send) => {
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, place) => first + place);
    await send(numbers.map(exports.payload));
  }
};

/** Calls `send` at a steady rate, and prints each number with the time on the monotonic clock when it was committed. */
exports.paced = async (first, count, rate, send) => {
  await send(exports.payload(-1));
  const start = performance.now();
  for (let place = 0; place < count; place += 1) {
    await sleep(Math.max(0, start + (place * 1000) / rate - performance.now()));
    await send(exports.payload(first + place));
    process.stdout.write(`${first + place} ${process.hrtime.bigint()}\n`);
  }
};

/** What a handler does: nothing, or write down when it started. */
exports.handler = () => {
  if (!process.env.BENCH_STARTS) return () => {};
  const file = fs.openSync(path.join(process.env.BENCH_STARTS, String(process.pid)), "a");
  return (number) => fs.writeSync(file, `${number} ${process.hrtime.bigint()}\n`);
};

/** Runs the role that the command line names: install, seed COUNT, send FIRST COUNT RATE, work. */
exports.run = (roles) => {
  const [role, ...numbers] = process.argv.slice(2);
  roles[role](...numbers.map(Number)).catch((error) => {
    console.error(error);
    process.exit(1);
  });
};
