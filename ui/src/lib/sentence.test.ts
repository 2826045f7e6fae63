import { expect, test } from 'vitest';
import type { Job } from '../api/client';
import type { Explanation } from '../api/job';
import { details, headline, ordinal } from './sentence';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const ago = (s: number) => new Date(NOW - s * 1000).toISOString();
const job = (more: Partial<Job>): Job => ({
  status: 'queued', queue: 'billing', definition_key: 'send-invoice', attempt_no: 0, attempts: 0, max_attempts: 3, created_at: ago(60), scheduled_for: ago(60), started_at: null, finished_at: null, duration_ms: null,
  error: null, reason: null, held_by: null, cancel_reason: null, cancel_requested_at: null, lease_expires_at: null, worker_id: null, ...more,
} as Job);
const shut = (...names: string[]) => ({ gates: names.map((name) => ({ name, is_open: false, detail: '', evidence: {} })) }) as unknown as Explanation;

test.each<[string, Partial<Job>, Explanation | undefined, string]>([
  ['succeeded', { status: 'succeeded', attempt_no: 1, attempts: 1, duration_ms: 1300 }, undefined, 'Succeeded in 1.3 s'],
  ['succeeded again', { status: 'succeeded', attempt_no: 2, attempts: 2, duration_ms: 1300 }, undefined, 'Succeeded on its second attempt in 1.3 s'],
  ['running', { status: 'running', attempt_no: 1, attempts: 1, started_at: ago(12) }, undefined, 'Runs for 12 s'],
  ['asked to stop', { status: 'running', attempt_no: 3, attempts: 3, started_at: ago(12), cancel_requested_at: ago(2) }, undefined, 'Asked to stop, runs for 12 s on its third attempt'],
  ['held', { held_by: 'queue_paused' }, shut('queue_paused'), 'Waits: queue billing is paused'],
  ['held, not explained yet', { held_by: 'queue_paused' }, undefined, 'Waits: queue billing is paused'],
  ['paused before it is due', { scheduled_for: ago(-30) }, shut('not_due', 'tenant_paused'), 'Waits: the tenant is paused'],
  ['ready', {}, shut(), 'Waits for a worker for 1 min'],
  ['scheduled', { scheduled_for: ago(-90) }, shut('not_due'), 'Starts in 1 min'],
  ['requeued', { scheduled_for: ago(-9), attempt_no: 1, attempts: 1, error: 'E: x' }, shut('not_due'), 'Waits for its second attempt, in 9 s'],
  ['failed', { status: 'failed', attempt_no: 1, attempts: 1, error: 'row 213 has no price' }, undefined, 'Failed: row 213 has no price'],
  ['failed by its payload', { status: 'failed', attempt_no: 1, attempts: 1, reason: 'invalid_payload' }, undefined, 'Failed: its payload does not fit the schema'],
  ['dead letter', { status: 'dead_letter', attempt_no: 4, attempts: 3, error: 'Traceback (most recent call last):\n  x\nConnectionError: no answer' }, undefined, 'Dead letter after 3 attempts: ConnectionError: no answer'],
  ['dead letter without an error', { status: 'dead_letter', attempt_no: 21, attempts: 1, reason: 'interrupted' }, undefined, 'Dead letter after 1 attempt: it was interrupted too often'],
  ['dead letter that may start only once', { status: 'dead_letter', attempt_no: 1, attempts: 1, max_attempts: 1, reason: 'suspect' }, undefined, 'Dead letter after 1 attempt: it may have crashed its executor'],
  ['dead letter of a lost worker', { status: 'dead_letter', attempt_no: 3, attempts: 3, reason: 'lease_expired' }, undefined, 'Dead letter after 3 attempts: its worker was lost'],
  ['dead letter of a deploy', { status: 'dead_letter', attempt_no: 1, attempts: 1, max_attempts: 1, reason: 'shutdown' }, undefined, 'Dead letter after 1 attempt: the worker was shut down'],
  ['canceled before', { status: 'canceled' }, undefined, 'Canceled before it started'],
  ['canceled while it ran', { status: 'canceled', attempt_no: 1, attempts: 1, started_at: ago(10), finished_at: ago(4) }, undefined, 'Canceled after 6.0 s'],
  ['expired', { status: 'canceled', reason: 'expired' }, undefined, 'Expired before it started'],
])('%s has its headline', (_, more, explanation, words) => {
  expect(headline(job(more), explanation, NOW)).toBe(words);
});

test('a long error is cut in the headline', () => {
  expect(headline(job({ status: 'failed', attempt_no: 1, error: 'x'.repeat(5000) }), undefined, NOW).length).toBeLessThan(200);
});

test('details say what the headline leaves open', () => {
  expect(details(job({ status: 'succeeded', started_at: ago(50), worker_id: 'vm-1' }), undefined, NOW)).toBe('Ran on vm-1, after waiting 10 s.');
  expect(details(job({ status: 'running', worker_id: 'vm-1', started_at: ago(6), lease_expires_at: ago(-24) }), undefined, NOW)).toMatch(/^On vm-1 since ..:..:54\. Its lease is good for another 24 s\.$/);
  expect(details(job({ status: 'canceled', reason: 'twice.', finished_at: ago(60) }), undefined, NOW)).toBe('Reason: twice. Ended 1 min ago.');
  expect(details(job({}), shut('queue_paused'), NOW)).toBe('It has waited for 1 min. Nothing is wrong with the job itself.');
});

test('ordinals in words, then in figures', () => {
  expect([1, 2, 10, 11, 21, 22, 33, 112].map(ordinal)).toEqual(['first', 'second', 'tenth', '11th', '21st', '22nd', '33rd', '112th']);
});
