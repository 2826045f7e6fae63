"use strict";

const { PgBoss } = require("pg-boss");
const { handler, inBatches, paced, run, url } = require("./program.cjs");

const QUEUE = "noop";
const WORK = { batchSize: 1000, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };

const started = async (options) => {
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false, ...options });
  boss.on("error", (error) => console.error(error));
  return boss.start();
};

const opened = async (act) => {
  const boss = await started({ migrate: false });
  await act(boss);
  await boss.stop({ graceful: false });
};

run({
  install: async () => {
    const boss = await started({});
    await boss.createQueue(QUEUE, { notify: true });
    await boss.stop({ graceful: false });
  },
  seed: (count) => opened((boss) => inBatches(count, (bodies) => boss.insert(QUEUE, bodies.map((data) => ({ data }))))),
  send: (first, count, rate) => opened((boss) => paced(first, count, rate, (body) => boss.send(QUEUE, body))),
  work: async () => {
    const boss = await started({ migrate: false, useListenNotify: true });
    const handle = handler();
    await boss.work(QUEUE, WORK, async (jobs) => jobs.forEach((job) => handle(job.data.i)));
  },
});
