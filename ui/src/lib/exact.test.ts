import { expect, test } from 'vitest';
import { parseExact } from './exact';

test('what JavaScript would round goes through as it was written', () => {
  const text = '{"id":9007199254740993,"share":0.1234567890123456789,"n":[1,-2.5,1e3,0.30000001192092896]}';
  const read = parseExact(text) as { id: unknown; n: unknown[] };
  expect(String(read.id)).toBe('9007199254740993');
  expect(read.n).toEqual([1, -2.5, 1000, 0.30000001192092896]);
  expect(JSON.stringify(read)).toBe(text.replace('1e3', '1000'));
});
