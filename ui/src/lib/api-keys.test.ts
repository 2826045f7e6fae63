import { expect, test } from 'vitest';
import { type Key, keysAnswer, keyState, rolesFor } from './api-keys';
import { DAY, HOUR } from './time';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
const made = (more: Partial<Key>): Key => ({ key_id: 'k', name: 'app', created_at: at(-DAY), expires_at: null, revoked_at: null, last_used_at: at(-HOUR), replaced_by: null, ...more }) as Key;

test('the most final state wins', () => {
  expect(keyState(made({}), NOW)).toBe('active');
  expect(keyState(made({ expires_at: at(13 * DAY) }), NOW)).toBe('expiring');
  expect(keyState(made({ expires_at: at(DAY), replaced_by: 'other' }), NOW)).toBe('replaced');
  expect(keyState(made({ expires_at: at(0), replaced_by: 'other' }), NOW)).toBe('expired');
  expect(keyState(made({ expires_at: at(0), revoked_at: at(-1) }), NOW)).toBe('revoked');
});

test('a key that was never used is new for a month', () => {
  expect(keyState(made({ last_used_at: null }), NOW)).toBe('new');
  expect(keyState(made({ last_used_at: null, created_at: at(-31 * DAY) }), NOW)).toBe('unused');
  expect(keyState(made({ last_used_at: at(-91 * DAY) }), NOW)).toBe('unused');
});

test('the answer names the one that runs out, and counts the unused', () => {
  const soon = made({ name: 'app-prod', expires_at: at(6 * DAY + HOUR) });
  const unused = made({ last_used_at: at(-100 * DAY) });
  expect(keysAnswer([soon, unused], NOW)).toBe('app-prod runs out in 6 days, 1 key is not used');
  expect(keysAnswer([made({ expires_at: at(HOUR) })], NOW)).toBe('app runs out within a day');
  expect(keysAnswer([made({}), made({ revoked_at: at(-1) })], NOW)).toBe('1 key works, none runs out soon');
  expect(keysAnswer([made({ revoked_at: at(-1) })], NOW)).toBe('No key works');
});

test('nobody but an operator is offered a role of the platform, and only without a tenant', () => {
  expect(rolesFor(false, false)).not.toContain('super_admin');
  expect(rolesFor(true, true)).not.toContain('worker');
  expect(rolesFor(true, false)).toEqual(['super_admin', 'worker']);
});
