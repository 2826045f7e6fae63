import { describe, expect, it } from 'vitest';
import { merge } from './live-rows';

interface Job { id: string; status: string }
const jobs = (ids: string, status = 'running'): Job[] => [...ids].map((id) => ({ id, status }));
const page = (items: Job[], next: string | null = 'more') => ({ items, next_cursor: next });
const ids = (rows: Job[]) => rows.map((row) => row.id).join('');

describe('merge', () => {
  it('changes rows in place', () => {
    const { rows, newer, left } = merge(jobs('dcba'), page(jobs('dcba', 'succeeded')));
    expect(rows).toEqual(jobs('dcba', 'succeeded'));
    expect([newer, left.size]).toEqual([0, 0]);
  });

  it('keeps new rows back and counts them', () => {
    const { rows, newer, isMore, anchor } = merge(jobs('dcba'), page(jobs('fedc')));
    expect(ids(rows)).toBe('dcba');
    expect([newer, isMore, anchor]).toEqual([2, false, 'e']);
  });

  it('does not say of a row that new ones pushed out that it has left', () => {
    expect(merge(jobs('dcba'), page(jobs('fedc'))).left).toEqual(new Set());
  });

  it('takes rows that were pushed out from the page below the anchor', () => {
    const { rows, left } = merge(jobs('dcba'), page(jobs('zyxw')), page(jobs('dca', 'succeeded')));
    expect(rows.map((row) => row.status)).toEqual(['succeeded', 'succeeded', 'running', 'succeeded']);
    expect(left).toEqual(new Set('b'));
  });

  it('says which rows match no longer, and leaves them where they were', () => {
    const { rows, left, newer } = merge(jobs('dcba'), page(jobs('da98')));
    expect(ids(rows)).toBe('dcba');
    expect(left).toEqual(new Set('cb'));
    expect(newer).toBe(0);
  });

  it('knows that the last rows have left when the list ends', () => {
    expect(merge(jobs('dcba'), page(jobs('dc'), null)).left).toEqual(new Set('ba'));
    expect(merge(jobs('ba'), page([], null)).left).toEqual(new Set('ba'));
  });

  it('says that there may be more when nothing that is shown is on the newest page', () => {
    expect(merge(jobs('dcba'), page(jobs('zyxw')))).toMatchObject({ newer: 4, isMore: true, anchor: undefined });
    expect(merge(jobs('ba'), page(jobs('dc'), null))).toMatchObject({ newer: 2, isMore: false });
  });

  it('counts a row that came to match between the others', () => {
    expect(merge(jobs('dba'), page(jobs('dcba'))).newer).toBe(1);
  });
});
