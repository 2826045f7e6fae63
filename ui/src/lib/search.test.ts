import { expect, test } from 'vitest';
import type { Line } from '../api/log';
import { hitsOf, isAtLeast, silenceBefore, split, step, toLevel } from './search';

const line = (attempt_no: number, ms?: number) => ({ attempt_no, ms }) as Line;

test('a level shows itself and what is worse; an unknown word of the URL shows all', () => {
  expect((['debug', 'info', 'warning', 'error'] as const).map((level) => isAtLeast({ level }, 'warning'))).toEqual([false, false, true, true]);
  expect(isAtLeast({ level: null as never }, 'error')).toBe(true);
  expect(['error', 'shout', undefined].map(toLevel)).toEqual(['error', 'debug', 'debug']);
});

test('a search finds by any case, and nothing when nothing is asked', () => {
  const lines = [{ text: 'page 1' }, { text: 'error: page' }, { text: 'done' }];
  expect(hitsOf(lines, ' PAGE ')).toEqual([0, 1]);
  expect(hitsOf(lines, '  ')).toEqual([]);
});

test('steps go on from where one is, and round', () => {
  expect([step([2, 5, 9], 5, 1), step([2, 5, 9], 9, 1), step([2, 5, 9], 5, -1), step([2, 5, 9], 2, -1), step([2, 5, 9], -1, 1), step([], 0, 1)]).toEqual([9, 2, 2, 9, 2, undefined]);
});

test('matches are cut out with their own letters', () => {
  expect(split('Page page', 'PAGE')).toEqual([{ text: 'Page', isHit: true }, { text: ' ', isHit: false }, { text: 'page', isHit: true }]);
  expect(split('İx', 'x')).toEqual([{ text: 'İx', isHit: false }]);
});

test('silence is shown within an attempt, when it is long', () => {
  expect(silenceBefore(line(1, 20_000), line(1, 1000))).toBe(19_000);
  expect(silenceBefore(line(1, 9000), line(1, 1000))).toBeUndefined();
  expect(silenceBefore(line(2, 90_000), line(1, 1000))).toBeUndefined();
  expect(silenceBefore(line(1), line(1, 1000))).toBeUndefined();
});
