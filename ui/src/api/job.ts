/** One job: what the page reads, and what a person changes of it while it waits. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useCaller } from '../lib/caller';
import { parseExact } from '../lib/exact';
import { isEnded } from '../lib/jobs';
import { notify } from '../lib/notices';
import { api, ApiError, type Job, naming, type Schemas, unwrap } from './client';
import { lookInterval, POLL_MS } from './live';

export type Explanation = Schemas['Explanation'];
export type Gate = Schemas['Gate'];

/** A job that runs is looked at every two seconds: its progress is no event of the stream. */
const soon = (job: Job | null | undefined): number => (job?.status === 'running' ? POLL_MS : lookInterval());

async function readJob(tenant: string | undefined, id: string, signal: AbortSignal): Promise<Job | null> {
  try {
    return parseExact(await unwrap(api.GET('/api/v1/jobs/{job_id}', { params: { path: { job_id: id } }, headers: naming(tenant), signal, parseAs: 'text' }))) as Job;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return null; // 422: it is no id at all
    throw error;
  }
}

/** A job, or null where there is none for this caller. */
export const jobQuery = (tenant: string | undefined, id: string) =>
  queryOptions({
    queryKey: ['job', tenant, id],
    queryFn: ({ signal }) => readJob(tenant, id, signal),
    refetchInterval: ({ state }) => soon(state.data),
  });

const PAGE = 50;

/** The attempts, the newest first. */
export const attemptsQuery = (tenant: string | undefined, job: Job) =>
  infiniteQueryOptions({
    queryKey: ['attempts', tenant, job.id],
    queryFn: ({ pageParam, signal }) => unwrap(api.GET('/api/v1/jobs/{job_id}/attempts', { params: { path: { job_id: job.id }, query: { limit: PAGE, cursor: pageParam } }, headers: naming(tenant), signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.items),
    refetchInterval: () => (isEnded(job) ? false : soon(job)),
    placeholderData: keepPreviousData,
    enabled: job.attempt_no > 0,
  });

export const explainQuery = (tenant: string | undefined, job: Job) =>
  queryOptions({
    queryKey: ['explain', tenant, job.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/jobs/{job_id}/explain', { params: { path: { job_id: job.id } }, headers: naming(tenant), signal })),
    refetchInterval: lookInterval,
    placeholderData: keepPreviousData,
    enabled: job.status === 'queued',
  });

/** The tenant of a job that is read across tenants. */
export const tenantQuery = (id: string, isOperator: boolean) =>
  queryOptions({ queryKey: ['tenants', id], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tenants/{tenant}', { params: { path: { tenant: id } }, signal })), staleTime: 60_000, enabled: isOperator });

export interface Changes { scheduled_for?: string; priority?: number; payload?: Record<string, unknown> }

/** Changes of a job that waits. `change` throws what the server refuses, for the form that asked. */
export function useWaitingJob(id: string) {
  const client = useQueryClient();
  const { tenant } = useCaller();
  const asked = { params: { path: { job_id: id } }, headers: naming(tenant) };
  const refresh = useCallback(() => void client.invalidateQueries(), [client]);

  const startNow = async () => {
    try {
      await unwrap(api.POST('/api/v1/jobs/{job_id}/reschedule', { ...asked, body: { delay_seconds: 0 } }));
      notify('The job may start now.');
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
    }
    refresh();
  };
  const change = async ({ scheduled_for, ...facts }: Changes) => {
    if (Object.keys(facts).length) await unwrap(api.PATCH('/api/v1/jobs/{job_id}', { ...asked, body: facts }));
    if (scheduled_for) await unwrap(api.POST('/api/v1/jobs/{job_id}/reschedule', { ...asked, body: { scheduled_for } }));
    notify('The job is changed.');
    refresh();
  };
  return { startNow, change };
}
