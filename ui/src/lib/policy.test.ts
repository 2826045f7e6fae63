import { expect, test } from 'vitest';
import { commandsOf, nextStep, standings, verdict } from './policy';
import type { Worker } from './workers';

const worker = (more: Partial<Worker>): Worker => ({ worker_id: 'w', queues: ['default'], definitions: [], mismatched: [], metadata: {}, stale: false, draining: false, ...more }) as Worker;
const refused = (state: string, detail = '') => worker({ mismatched: ['sync'], metadata: { policy: { sync: { state, detail } } } });
const states = (workers: Worker[]) => standings(workers, 'sync', 'default').map((s) => [s.worker, s.state]);

test('each live worker stands somewhere to a command: those that run it come first', () => {
  const workers = [
    worker({ worker_id: 'plain' }), worker({ worker_id: 'other', metadata: { policy: { else: { state: 'ready' } } } }),
    { ...refused('executable_changed'), worker_id: 'changed' }, worker({ worker_id: 'far', queues: ['far'], definitions: ['sync'] }),
    worker({ worker_id: 'runs', definitions: ['sync'] }), worker({ worker_id: 'silent', stale: true, definitions: ['sync'] }), worker({ worker_id: 'leaving', draining: true, definitions: ['sync'] }), worker({ worker_id: 'system', metadata: { kind: 'scheduler' } }),
  ];
  expect(states(workers)).toEqual([['runs', 'ready'], ['changed', 'executable_changed'], ['far', 'elsewhere'], ['other', 'unnamed'], ['plain', 'no_policy']]);
});

test('a refusal is told in the sentence of the worker, else in our own', () => {
  expect(verdict(refused('executable_missing', 'There is no file /opt/x on this machine.'), 'sync').says).toBe('There is no file /opt/x on this machine.');
  expect(verdict(refused('executable_missing'), 'sync').says).toBe('The machine has no such executable.');
  expect(verdict(refused('a new state'), 'sync')).toMatchObject({ word: 'Differs', state: 'a new state' });
});

test('what a worker writes of its policy may be anything', () => {
  for (const policy of [null, 'x', [], { sync: 'x' }, { sync: { state: 5, detail: ['x'] } }, { sync: { state: 'ready' } }]) {
    expect(verdict(worker({ mismatched: ['sync'], metadata: { policy } }), 'sync').state).toBe('policy_mismatch');
  }
  expect(states([worker({ metadata: { policy: { other: {} } } })])).toEqual([['w', 'unnamed']]);
  expect(standings([worker({ metadata: { policy: {} } })], 'constructor', 'default')[0]?.state).toBe('unnamed');
  expect(verdict(refused('constructor'), 'sync').word).toBe('Differs');
});

test('the commands of a worker are those of its policy; without one there are none to tell', () => {
  expect(commandsOf(worker({ definitions: ['greet'] }))).toBeUndefined();
  const found = commandsOf(worker({ definitions: ['greet', 'sync'], metadata: { commands: 4, policy: { sync: { state: 'ready' }, gone: { state: 'definition_missing' } } } }));
  expect(found).toEqual({ atOnce: 4, verdicts: [{ key: 'gone', state: 'definition_missing', word: 'No definition', says: 'The policy names it, and there is no such command.' }, { key: 'sync', state: 'ready', word: 'Ready', says: '' }] });
});

test('the next step fits what the nearest worker says', () => {
  const step = (...workers: Worker[]) => nextStep(standings(workers, 'sync', 'default'), 'sync', 'default');
  expect(step(worker({ definitions: ['sync'] }), refused('definition_changed'))).toBeUndefined();
  expect(step(refused('definition_changed'))?.lines).toEqual(['jobplane policy write sync']);
  expect(step(refused('executable_missing'))?.lines).toEqual(['jobplane policy check']);
  expect(step(worker({ metadata: { policy: {} } }))?.lines).toEqual(['jobplane policy write sync']);
  expect(step(worker({}))?.lines).toEqual(['jobplane policy write sync --file policy.toml', 'jobplane worker --policy policy.toml']);
  expect(step()?.says).toMatch(/^No worker is alive/);
  expect(step(worker({ definitions: ['sync'], queues: ['far'] }))?.says).toContain('does not serve queue default');
});
