import { expect, test } from 'vitest';
import { isAtLimit, isFull, type Tenant, tenantsAnswer, tenantsSum } from './tenants';

const made = (more: Partial<Tenant>): Tenant => ({ slug: 'acme', name: '', ready: 0, held: 0, upcoming: 0, running: 0, dead_letter: 0, oldest_due_seconds: null, max_in_flight: null, max_pending: null, paused_at: null, ...more }) as Tenant;

test('no limit is never full, and a limit of zero always is', () => {
  expect([isFull(99, null), isFull(3, 4), isFull(4, 4), isFull(0, 0)]).toEqual([false, false, true, true]);
});

test('a tenant is at its limit only if more waits', () => {
  expect(isAtLimit(made({ running: 4, max_in_flight: 4 }))).toBe(false);
  expect(isAtLimit(made({ running: 4, max_in_flight: 4, held: 1 }))).toBe(true);
});

test('the worst is said first', () => {
  const full = made({ slug: 'full', running: 4, max_in_flight: 4, held: 1 });
  const refused = made({ slug: 'refused', max_pending: 3, upcoming: 2, running: 1 });
  const late = made({ slug: 'late', ready: 1, oldest_due_seconds: 720 });
  expect(tenantsAnswer([late])).toBe('late has waited for 12 min');
  expect(tenantsAnswer([late, full])).toBe('full is at its limit');
  expect(tenantsAnswer([late, full, refused])).toBe('refused can enqueue no more');
  expect(tenantsAnswer([late, full, refused, made({ name: 'Acme Inc.', paused_at: '2026-01-01T00:00:00Z' })])).toBe('Acme Inc. is paused');
  expect(tenantsAnswer([made({ ready: 5, oldest_due_seconds: 2 })])).toBe('No tenant is held back');
});

test('many names are cut', () => {
  const paused = ['a', 'b', 'c', 'd'].map((slug) => made({ slug, paused_at: '2026-01-01T00:00:00Z' }));
  expect(tenantsAnswer(paused.slice(0, 2))).toBe('a and b are paused');
  expect(tenantsAnswer(paused)).toBe('a, b and 2 more are paused');
});

test('a sum with a capped count is a least', () => {
  expect(tenantsSum([made({ ready: 1 }), made({ running: 2 })])).toBe('2 tenants: 1 job waits, 2 run.');
  expect(tenantsSum([made({ ready: 10_000, held: 5 })])).toBe('1 tenant: at least 10,005 jobs wait, nothing runs.');
});
