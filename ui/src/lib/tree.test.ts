import { expect, test } from 'vitest';
import { beginning, hasMasked, isOpenAtFirst, shapeOf, sizeOf } from './tree';

test('a value is what it is, and a mask is not a text', () => {
  expect([null, [], {}, 'a', '***', 0, false].map(shapeOf)).toEqual(['null', 'array', 'object', 'text', 'masked', 'other', 'other']);
});

test('sizes are said with the right number', () => {
  expect([[1], [1, 2], { a: 1 }, {}].map(sizeOf)).toEqual(['1 item', '2 items', '1 field', '0 fields']);
});

test('what is deep or long is folded at first', () => {
  const long = Array.from({ length: 21 }, () => 0);
  expect(isOpenAtFirst({ a: 1 }, 1)).toBe(true);
  expect(isOpenAtFirst({ a: 1 }, 2)).toBe(false);
  expect(isOpenAtFirst(long, 0)).toBe(false);
  expect(isOpenAtFirst(long.slice(1), 0)).toBe(true);
});

test('a long text shows its beginning, a little more than that shows all', () => {
  expect(beginning('x'.repeat(5000))).toEqual({ shown: 'x'.repeat(2000), left: 3000 });
  expect(beginning('x'.repeat(2100)).left).toBe(0);
});

test('a mask is found however deep', () => {
  expect(hasMasked({ a: [{ b: 'password=***' }] })).toBe(true);
  expect(hasMasked({ a: [{ b: 'password' }], c: null })).toBe(false);
});
