import { expect, test } from 'vitest';
import type { Gate } from '../api/job';
import { openName, placeSaid, tellShut } from './gates';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const job = { queue: 'billing', definition_key: 'send-invoice' };
const gate = (name: string, evidence: Record<string, unknown> = {}): Gate => ({ name, is_open: false, detail: 'The server says so.', evidence });
const said = (name: string, evidence?: Record<string, unknown>) => { const { heading, more } = tellShut(gate(name, evidence), job, NOW); return `${heading}. ${more}`; };

test.each([
  ['a pause with its reason', 'queue_paused', { paused_at: '2026-11-18T11:40:00Z', paused_by: 'key:ek3cf (Ingrid (ops))', paused_reason: 'the bank is down' }, 'Queue billing is paused. By Ingrid (ops), 20 min ago: the bank is down.'],
  ['a pause without a reason', 'tenant_paused', { paused_at: '2026-11-18T11:40:00Z', paused_by: 'ingrid', paused_reason: null }, 'The tenant is paused. By ingrid, 20 min ago, without a reason.'],
  ['a pause by nobody known', 'queue_paused', { paused_at: '2026-11-18T11:40:00Z', paused_by: null, paused_reason: null }, 'Queue billing is paused. Paused 20 min ago, without a reason.'],
  ['a limit', 'definition_tenant_limit', { limit: 4, used: 4, jobs: ['a'], others: 0 }, 'send-invoice is at its limit for this tenant. 4 of 4 slots are taken.'],
  ['a limit that others fill', 'definition_limit', { limit: 5, used: 5, jobs: [], others: 3 }, 'send-invoice is at its limit. 5 of 5 slots are taken, 3 of them by other tenants.'],
  ['a limit of one', 'tenant_limit', { limit: 1, used: 1, jobs: [], others: 0 }, 'The tenant is at its limit. 1 of 1 slot is taken.'],
  ['a worker that is gone', 'no_worker', { workers: [], last_worker_id: 'vm-1', last_seen_at: '2026-11-18T11:00:00Z' }, 'No live worker knows send-invoice. The last one was vm-1, seen 1 h ago.'],
  ['a worker that never was', 'no_worker', { workers: [], last_worker_id: null, last_seen_at: null }, 'No live worker knows send-invoice. None has known it in this queue so far.'],
  ['a time to come', 'not_due', { scheduled_for: '2026-11-18T12:02:00Z', seconds: 120 }, /^It is due in 2 min\. It may start from .* on\.$/],
  ['a gate that the page does not know', 'moon_phase', {}, 'Held by moon phase. The server says so.'],
])('%s is told', (_, name, evidence, words) => {
  expect(said(name, evidence)).toEqual(words instanceof RegExp ? expect.stringMatching(words) : words);
});

test('a known tenant is named', () => {
  expect(tellShut(gate('definition_tenant_limit', { limit: 1, used: 1 }), job, NOW, 'Bakery').title).toBe('send-invoice is at its limit for Bakery');
});

test('the holders of a limit are linked to, and evidence of another shape breaks nothing', () => {
  expect(tellShut(gate('tenant_limit', { limit: 2, used: 2, jobs: ['a', 'b'], others: 0 }), job, NOW).holders).toEqual(['a', 'b']);
  expect(tellShut(gate('tenant_limit', { limit: 'x', jobs: 'a' }), job, NOW)).toMatchObject({ holders: [], others: 0 });
});

test('open gates have short names, and new ones their own', () => {
  expect([gate('queue_paused'), gate('rate_limit')].map(openName)).toEqual(['queue open', 'rate limit']);
});

test('the place in line is said with its turns', () => {
  expect(placeSaid(0, 1, 2000)).toBe('No other job of this tenant is before it. It has waited for 2 s.');
  expect(placeSaid(1, 3, 2000)).toBe('1 job of this tenant is before it, and 3 tenants take turns in its queue and priority. It has waited for 2 s.');
  expect(placeSaid(10_000, 1, 2000)).toContain('At least 10,000 jobs of this tenant are before it');
  expect(placeSaid(null, null, 2000)).toBe('');
});
