import { expect, test } from 'vitest';
import { changed, formErrors, numberIn } from './form-errors';

const NAMES = new Set(['slug', 'weight', 'backoff.base']);
const refused = (problem: { code?: string; errors?: object[] }) => Object.assign(new Error('It is wrong.'), { name: 'ApiError', code: problem.code, problem });

test('a complaint stands beside the field that its pointer names', () => {
  const told = formErrors(refused({ errors: [{ pointer: '/backoff/base', code: 'x', detail: 'Too small' }, { pointer: 'slug', code: 'x', detail: 'Bad.' }] }), NAMES);
  expect(told).toEqual({ top: '', fields: { 'backoff.base': 'Too small.', slug: 'Bad.' } });
});

test('what no field shows stands on top', () => {
  expect(formErrors(refused({ errors: [{ pointer: '/extra', code: 'x', detail: 'Unknown' }] }), NAMES).top).toBe('It is wrong.');
  expect(formErrors(refused({}), NAMES).top).toBe('It is wrong.');
});

test('a code without a pointer can have a field', () => {
  expect(formErrors(refused({ code: 'already_exists' }), NAMES, { already_exists: 'slug' })).toEqual({ top: '', fields: { slug: 'It is wrong.' } });
});

test('a text that is no number is never sent as none', () => {
  expect([numberIn(' 12 '), numberIn(''), numberIn('12a'), numberIn('0.5')]).toEqual([12, null, '12a', 0.5]);
});

test('only what differs is sent, and null counts', () => {
  expect(changed({ a: 1, b: { c: 2 }, d: 5 as number | null }, { a: 1, b: { c: 3 }, d: null })).toEqual({ b: { c: 3 }, d: null });
});
