import { expect, test } from 'vitest';
import { queuesAnswer, queueState } from './queues';
import { squaresOf } from './slots';
import { inOrder, type Queue, storyOf, type Worker, workersAnswer } from './workers';

const worker = (more: Partial<Worker>): Worker => ({ worker_id: 'w', queues: ['mail'], slots: 8, running_count: 4, stale: false, draining: false, version: '1', last_seen_at: '2026-01-01T12:00:00Z', oldest_lease_at: null, ...more }) as Worker;
const queue = (more: Partial<Queue>): Queue => ({ name: 'mail', ready: 0, held: 0, upcoming: 0, running: 0, paused_at: null, ...more }) as Queue;

test('the story of a silent worker names the queues that nobody else serves', () => {
  const lost = worker({ worker_id: 'lost', stale: true, queues: ['mail', 'reports'] });
  const says = storyOf(lost, [lost, worker({})], [queue({ name: 'reports', held: 38 })]).map((e) => e.says);
  expect(says[0]).toBe('last heartbeat, 4 of 8 slots busy');
  expect(says.at(-1)).toBe('no other worker serves reports; 38 jobs wait there');
});

test('a draining worker serves nothing new', () => {
  expect(queueState(queue({ ready: 1 }), [worker({ draining: true })])).toBe('deserted');
  expect(queueState(queue({ upcoming: 1 }), [])).toBe('idle');
  expect(queueState(queue({ paused_at: '2026-01-01T00:00:00Z' }), [worker({})])).toBe('paused');
});

test('a queue without a worker is worse than one that is paused', () => {
  const told = queuesAnswer([queue({ name: 'reports', held: 38 }), queue({ name: 'billing', paused_at: '2026-01-01T00:00:00Z' }), queue({})], [worker({})]);
  expect(told).toEqual({ title: 'Queue reports has no worker', more: '38 jobs wait there. Queue billing is paused. One other moves.' });
});

test('silent workers come first, and the others do not move when one is heard from', () => {
  expect(inOrder([worker({ worker_id: 'b' }), worker({ worker_id: 'z', stale: true }), worker({ worker_id: 'a' })]).map((w) => w.worker_id)).toEqual(['z', 'a', 'b']);
  expect(workersAnswer([worker({}), worker({ worker_id: 'z', stale: true })])).toBe('1 of 2 workers is alive; z is silent');
});

test('a bar is full only if the worker is, and empty only if it is idle', () => {
  expect(squaresOf(64, 63)).toEqual({ all: 16, on: 15 });
  expect(squaresOf(64, 1)).toEqual({ all: 16, on: 1 });
  expect(squaresOf(64, 64).on).toBe(16);
  expect(squaresOf(8, 3)).toEqual({ all: 8, on: 3 });
  expect(squaresOf(1, 1)).toEqual({ all: 1, on: 1 });
});
