import '../testing/document';
import { expect, it } from 'vitest';
import { asked, jobsQuery, keepSame, type Page } from './jobs';

const NOON = Date.parse('2026-10-22T12:00:00Z');

it('asks for what the URL says', () => {
  expect(asked({ status: ['failed', 'queued'], definition: 'mail', by: 'key', since: 'hour', q: '401', cursor: 'c' }, NOON)).toMatchObject({
    limit: 50, status: ['queued', 'failed'], definition_key: ['mail'], triggered_by: 'key', created_after: '2026-10-22T11:00:00.000Z', q: '401', cursor: 'c',
  });
});

it('leaves out what the API would refuse', () => {
  expect(asked({ status: ['nonsense'], since: 'yesterday' }, NOON)).toMatchObject({ status: undefined, created_after: undefined });
});

it('has one key for one page of one tenant', () => {
  const key = (tenant: string | undefined, cursor?: string) => JSON.stringify(jobsQuery(tenant, { q: 'x', cursor }).queryKey);
  expect(new Set([key('a'), key('b'), key(undefined), key('a', 'c')]).size).toBe(4);
  expect(jobsQuery('a', {}).queryKey[0]).toBe('jobs');
});

it('keeps jobs that did not change, though others came above them', () => {
  const page = (...jobs: [string, string][]) => ({ items: jobs.map(([id, status]) => ({ id, status, tags: [] })), next_cursor: null, scanned_all: true }) as unknown as Page;
  const old = page(['b', 'running'], ['a', 'succeeded']);
  const { items } = keepSame(old, page(['c', 'queued'], ['b', 'succeeded'], ['a', 'succeeded']));
  expect(items[2]).toBe(old.items[1]);
  expect(items.map((job) => job.status)).toEqual(['queued', 'succeeded', 'succeeded']);
  expect(keepSame(old, page(['b', 'running'], ['a', 'succeeded']))).toBe(old);
  expect(keepSame(old, page(['b', 'running']))).not.toBe(old);
});
