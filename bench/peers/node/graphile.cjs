"use strict";

const { Logger, makeWorkerUtils, run: runWorker } = require("graphile-worker");
const { handler, inBatches, paced, run, url } = require("./program.cjs");

const TASK = "noop";
const SILENT = { connectionString: url, logger: new Logger(() => () => {}) };
const WORKER = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  pollInterval: 2000,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

const opened = async (act) => {
  const utils = await makeWorkerUtils(SILENT);
  await act(utils);
  await utils.release();
};

run({
  install: () => opened((utils) => utils.migrate()),
  seed: (count) =>
    opened((utils) =>
      inBatches(count, (bodies) => utils.addJobs(bodies.map((payload) => ({ identifier: TASK, payload })))),
    ),
  send: (first, count, rate) => opened((utils) => paced(first, count, rate, (body) => utils.addJob(TASK, body))),
  work: async () => {
    const handle = handler();
    const worker = await runWorker({
      ...SILENT,
      preset: { worker: WORKER },
      taskList: { [TASK]: async (body) => handle(body.i) },
    });
    await worker.promise;
  },
});
