import { describe, expect, it } from 'vitest';
import { between, MOST, pick } from './selection';

const jobs = (n: number, from = 0) => Array.from({ length: n }, (_, i) => ({ id: String(from + i) }));
const none = new Map<string, { id: string }>();

describe('pick', () => {
  it('never selects more than one call takes', () => {
    const full = pick(none, jobs(MOST + 5), true);
    expect(full.size).toBe(MOST);
    expect(pick(full, jobs(1, 900), true).has('900')).toBe(false);
    expect(pick(full, jobs(10), false).size).toBe(MOST - 10);
  });

  it('keeps what was selected on another page', () => {
    expect([...pick(pick(none, jobs(2), true), jobs(2, 50), true).keys()]).toEqual(['0', '1', '50', '51']);
  });
});

describe('between', () => {
  it('goes both ways, and both ends belong to it', () => {
    expect(between(jobs(6), '1', '3').map((j) => j.id)).toEqual(['1', '2', '3']);
    expect(between(jobs(6), '3', '1').map((j) => j.id)).toEqual(['1', '2', '3']);
  });

  it('is the row alone when the other end is on another page', () => {
    expect(between(jobs(6), '99', '3')).toEqual([{ id: '3' }]);
    expect(between(jobs(6), undefined, '0')).toEqual([{ id: '0' }]);
  });
});
