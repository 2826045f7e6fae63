import { expect, test } from 'vitest';
import type { Definition } from '../api/client';
import { definitionsAnswer, driftOf, stateOf, valueOf } from './definitions';

const made = (more: Partial<Definition>): Definition => ({
  key: 'render', kind: 'python', description: '', queue: 'default', priority: 100, timeout_seconds: 3600, max_attempts: 3, backoff: { base: 5, factor: 2, cap: 300, jitter: 0.5 }, max_running: null, max_running_per_tenant: null,
  active: true, origin: 'code', overridden: [], code: { kind: 'python', timeout_seconds: 600 }, deleted_from_code: false, deleted_at: null, app: '', app_version: '', tags: [], ...more,
}) as Definition;
const words = (d: Definition) => driftOf(d).map((x) => `${x.name} ${x.code} → ${x.here}`);

test('a setting of a person is told as code → here', () => {
  expect(words(made({ overridden: ['timeout_seconds'], timeout_seconds: 1200 }))).toEqual(['timeout 10 min → 20 min']);
});

test('what the code does not name has its default', () => {
  expect(words(made({ overridden: ['max_running', 'max_attempts'], max_running: 32, max_attempts: 5 }))).toEqual(['attempts 3 → 5', 'running at once no limit → 32']);
});

test('a backoff that the code names in part is filled up before it is compared', () => {
  const d = made({ overridden: ['backoff'], code: { backoff: { base: 1 } }, backoff: { base: 1, factor: 2, cap: 60, jitter: 0.5 } });
  expect(words(d)).toEqual(['backoff 1 s × 2, up to 5 min, jitter 50 % → 1 s × 2, up to 1 min, jitter 50 %']);
});

test('a setting that equals the code is kept and does not differ', () => {
  const d = made({ overridden: ['timeout_seconds'], timeout_seconds: 600 });
  expect(driftOf(d)[0]!.isSame).toBe(true);
  expect(definitionsAnswer([d])).toBe('Every definition is as its code says');
});

test('long texts that differ behind the cut still differ', () => {
  const same = 'x'.repeat(80);
  expect(driftOf(made({ overridden: ['description'], code: { description: `${same}a` }, description: `${same}b` }))[0]!.isSame).toBe(false);
});

test('the answer counts what differs and what is gone', () => {
  const differs = made({ overridden: ['priority'], priority: 1 });
  const gone = made({ deleted_from_code: true, active: false });
  expect(definitionsAnswer([differs, differs, gone])).toBe('Two definitions differ from the code, one is gone from it');
  expect(definitionsAnswer([gone])).toBe('One definition is gone from the code');
  expect(definitionsAnswer([])).toBe('There is no definition yet');
});

test('the state is the most final one', () => {
  expect(stateOf(made({}))[1]).toBe('Enabled');
  expect(stateOf(made({ active: false }))[1]).toBe('Disabled');
  expect(stateOf(made({ kind: null }))[1]).toBe('Has no kind yet');
  expect(stateOf(made({ active: false, deleted_from_code: true }))[1]).toBe('Gone from the code');
  expect(stateOf(made({ active: false, deleted_from_code: true, deleted_at: '2026-01-01T00:00:00Z' }))[1]).toBe('Deleted');
});

test('seconds are told in the largest whole unit', () => {
  expect([1, 90, 600, 3600, 86_400, 5400].map((n) => valueOf('timeout_seconds', n))).toEqual(['1 s', '1 min 30 s', '10 min', '1 h', '1 d', '90 min']);
});
