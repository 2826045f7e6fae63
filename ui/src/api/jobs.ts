/** The list of jobs: what the URL asks for, 50 to a page. */
import { queryOptions, replaceEqualDeep } from '@tanstack/react-query';
import { isEnded } from '../lib/jobs';
import { DAY, HOUR, SECOND } from '../lib/time';
import type { JobsSearch } from '../router';
import { api, naming, type Schemas, unwrap } from './client';
import { LIVING } from './queries';

/** Who may have enqueued a job; anything else in the URL is no filter. */
const STARTERS = ['key', 'login', 'session', 'job', 'scheduler', 'hook', 'event'] as const;

export type Listed = Schemas['ListedJob'];
export type Page = Schemas['JobPage'];
export type Status = Schemas['JobStatus'];

export const PAGE = 50;
export const STATUSES: readonly Status[] = ['queued', 'running', 'succeeded', 'failed', 'dead_letter', 'canceled'];
export const SPANS: Record<string, number> = { hour: HOUR, day: DAY, week: 7 * DAY };

/** The filters alone: two pages of one list have the same. */
export const filtersOf = ({ cursor, tenant, ...filters }: JobsSearch): Omit<JobsSearch, 'cursor' | 'tenant'> => filters;

/** The search of the URL in the words of the API. A status or a span that does not exist is left out. */
export function asked(search: JobsSearch, now: number) {
  const status = STATUSES.filter((s) => search.status?.includes(s));
  const span = SPANS[search.since ?? ''];
  return {
    limit: PAGE,
    status: status.length ? status : undefined,
    definition_key: search.definition ? [search.definition] : undefined,
    queue: search.queue ? [search.queue] : undefined,
    tag: search.tag ? [search.tag] : undefined,
    triggered_by: STARTERS.find((s) => s === search.by),
    worker_id: search.worker,
    correlation_id: search.correlation,
    q: search.q,
    created_after: span ? new Date(now - span).toISOString() : undefined,
    cursor: search.cursor,
  };
}

/** A job that is as it was stays the same object wherever it stands on the page: its row is not drawn again. So does a page. */
export function keepSame(old: Page | undefined, fresh: Page): Page {
  const known = new Map(old?.items.map((job) => [job.id, job]));
  const items = fresh.items.map((job) => replaceEqualDeep(known.get(job.id), job));
  const isSame = old?.next_cursor === fresh.next_cursor && old.scanned_all === fresh.scanned_all && old.items.length === items.length && items.every((job, i) => job === old.items[i]);
  return isSame ? old : { ...fresh, items };
}

export const jobsQuery = (tenant: string | undefined, search: JobsSearch) =>
  queryOptions({
    queryKey: ['jobs', tenant, 'list', filtersOf(search), search.cursor],
    queryFn: ({ signal }): Promise<Page> => unwrap(api.GET('/api/v1/jobs', { params: { query: asked(search, Date.now()) }, headers: naming(tenant), signal })),
    structuralSharing: (old, fresh) => keepSame(old as Page | undefined, fresh as Page),
    ...LIVING,
  });

/** A job that is shown though the list does not have it any more. Its key is not one of the stream's: fifty such rows cost little. */
export const leftQuery = (tenant: string | undefined, id: string) =>
  queryOptions({
    queryKey: ['left', tenant, id],
    queryFn: ({ signal }): Promise<Listed> => unwrap(api.GET('/api/v1/jobs/{job_id}', { params: { path: { job_id: id } }, headers: naming(tenant), signal })),
    refetchInterval: ({ state }) => (state.data && isEnded(state.data) ? false : 5 * SECOND),
  });
