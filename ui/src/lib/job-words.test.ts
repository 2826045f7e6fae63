import '../testing/document';
import { describe, expect, it } from 'vitest';
import { alike, badSaid, leftOut, matches, movedSaid, pageMatches, total, waitingSaid } from './job-words';

const counts = { queued: 20, running: 2, succeeded: 10_000, failed: 29, dead_letter: 1, canceled: 0 };
const job = (status: string, cancel_requested_at: string | null = null) => ({ status: status as 'queued', cancel_requested_at });
const failed = (error: string) => ({ status: 'failed' as const, error });

describe('how many match', () => {
  it('adds up statuses, and says where the server stopped counting', () => {
    expect(matches(total(counts, ['failed', 'dead_letter']))).toBe('30 jobs match');
    expect(matches(total(counts, ['dead_letter']))).toBe('1 job matches');
    expect(matches(total(counts, ['succeeded', 'failed']))).toBe('10,029+ jobs match');
    expect(matches(total(counts, ['canceled']))).toBe('No job matches');
  });

  it('says no more than a page tells', () => {
    const page = (n: number, next: string | null, scanned_all = true) => ({ items: Array(n), next_cursor: next, scanned_all });
    expect(pageMatches(page(3, null), true)).toBe('3 jobs match');
    expect(pageMatches(page(50, 'x'), true)).toBe('More than 50 jobs match');
    expect(pageMatches(page(3, 'x', false), true)).toBe('At least 3 jobs match');
    expect(pageMatches(page(1, 'x', false), true)).toBe('At least 1 job matches');
    expect(pageMatches(page(0, 'x', false), true)).toBe('No job found yet');
    expect(pageMatches(page(50, 'x'), false)).toBe('Older jobs that match');
  });

  it('says what ended badly', () => {
    expect(badSaid(counts)).toBe('29 failed, 1 is a dead letter.');
    expect(badSaid({ ...counts, failed: 0, dead_letter: 0 })).toBe('None of them failed.');
  });

  it('says what keeps the waiting ones', () => {
    expect(waitingSaid({ ready: 10_000, held: 1, upcoming: 0 })).toBe('10,000+ could start now, 1 is held by a gate.');
  });
});

describe('alike', () => {
  it('leaves numbers and ids aside', () => {
    expect(alike([failed('row 780 has no price'), failed('row 12 has no price'), failed('row 3 has no price')])).toEqual({ failures: 3, kinds: 1, error: 'row 780 has no price', times: 3 });
  });

  it('counts the kinds and names the most frequent', () => {
    expect(alike([failed('timeout'), failed('row 1'), failed('row 2')])).toEqual({ failures: 3, kinds: 2, error: 'row 1', times: 2 });
  });

  it('says nothing of two', () => {
    expect(alike([failed('x'), failed('x'), { status: 'succeeded', error: null }])).toBeUndefined();
  });
});

describe('leftOut', () => {
  it('says nothing where an action fits all', () => {
    expect(leftOut([job('failed'), job('dead_letter')])).toEqual([]);
    expect(leftOut([job('queued'), job('running')])).toEqual([]);
  });

  it('says what each action leaves out and why', () => {
    expect(leftOut([job('failed'), job('succeeded'), job('queued'), job('running', '2026-01-01T00:00:00Z')])).toEqual([
      'Retry leaves out 1 that succeeded, 2 that are not over.',
      'Cancel leaves out 2 that have ended, 1 that was asked to stop before.',
    ]);
  });

  it('says why nothing can be done', () => {
    expect(leftOut([job('succeeded'), job('succeeded')])).toEqual(['Nothing to do: 2 succeeded.']);
  });
});

describe('movedSaid', () => {
  const results = (...outcomes: string[]) => outcomes.map((outcome) => ({ outcome }));
  it('says what became of the jobs of one call', () => {
    expect(movedSaid(results('requested', 'canceled', 'canceled'))).toBe('2 jobs canceled; 1 job asked to stop.');
    expect(movedSaid(results('queued', 'duplicate_job'))).toBe('1 job will run again; 1 job left as it is: a newer job has the same dedupe key.');
    expect(movedSaid(results('new_word', 'new_word'))).toBe('2 jobs left as they are: new_word.');
  });
});
