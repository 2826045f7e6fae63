import { expect, test } from 'vitest';
import { detailOf, type Entry, told, whoOf } from './audit';

const made = (more: Partial<Entry>): Entry => ({ action: 'cancelJob', targets: [], target_count: 0, facts: {}, actor: {}, login: 'jobplane_admin', ...more }) as Entry;

test('one thing is named, several are counted, also beyond the hundred that are listed', () => {
  expect(told(made({ targets: ['01a1ed44-07c0-7e4c-807f-88b7daef46ad'], target_count: 1 }))).toMatchObject({ verb: 'canceled', what: 'daef46ad' });
  expect(told(made({ targets: ['a', 'b'], target_count: 150 })).what).toBe('150 jobs');
  expect(told(made({ action: 'newOperation', targets: ['x'], target_count: 1 }))).toMatchObject({ verb: 'newOperation', what: 'x' });
});

test('the reason comes first, and a limit that was taken away is none', () => {
  expect(detailOf(made({ facts: { reason: 'leaked' } }))).toBe('leaked');
  expect(detailOf(made({ facts: { changes: { weight: 2, max_in_flight: null } } }))).toBe('weight 2, running at once none');
  expect(detailOf(made({ facts: { app: 'shop', from: '1.0', to: '1.1' } }))).toBe('1.0 → 1.1, app shop');
});

test('a caller without a name is its id, then the login', () => {
  expect(whoOf(made({ actor: { id: 'k1', name: '', type: 'key' } }))).toMatchObject({ name: 'k1', kind: 'API' });
  expect(whoOf(made({}))).toMatchObject({ name: 'jobplane_admin' });
});
