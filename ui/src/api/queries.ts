import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, naming, unwrap } from './client';
import { lookInterval } from './live';

/** A part of every query that is looked at again and again: keep the last data, ask again by itself. */
export const LIVING = { refetchInterval: lookInterval, placeholderData: keepPreviousData } as const;

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/me', { signal })), staleTime: 60_000, retry: false });

export const overviewQuery = (tenant?: string) =>
  queryOptions({ queryKey: ['overview', tenant], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/overview', { headers: naming(tenant), signal })), ...LIVING });

export const problemsQuery = (tenant?: string) =>
  queryOptions({ queryKey: ['problems', tenant], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/problems', { headers: naming(tenant), signal })), ...LIVING, select: (found) => found.items });

export const summaryQuery = (tenant?: string) =>
  queryOptions({ queryKey: ['summary', tenant], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/jobs/summary', { headers: naming(tenant), signal })), ...LIVING });

export const tenantsQuery = queryOptions({ queryKey: ['tenants'], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tenants', { params: { query: { limit: 200 } }, signal })), ...LIVING });

export const definitionsQuery = (tenant?: string) =>
  queryOptions({ queryKey: ['definitions', tenant], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/definitions', { params: { query: { limit: 200 } }, headers: naming(tenant), signal })), staleTime: 15_000 });

export const workersQuery = queryOptions({ queryKey: ['workers'], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/workers', { params: { query: { limit: 200 } }, signal })), ...LIVING });

export const queuesQuery = queryOptions({ queryKey: ['queues'], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/queues', { params: { query: { limit: 200 } }, signal })), ...LIVING });

/** Jobs by a part of their id, for the finder. */
export const foundJobsQuery = (tenant: string | undefined, q: string) =>
  queryOptions({ queryKey: ['jobs', tenant, 'find', q], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/jobs', { params: { query: { q, limit: 5 } }, headers: naming(tenant), signal })) });
