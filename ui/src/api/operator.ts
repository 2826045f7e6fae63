/** What the operator's pages ask for. */
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { notify } from '../lib/notices';
import { api, API, naming, unwrap } from './client';
import { LIVING } from './queries';

const PAGE = 200;

/** The health of the database. */
export interface Database {
  store: string;
  version: string;
  schema: { found: number; wanted: number };
  size_bytes: number;
  connections: { used: number; most: number } | null;
  oldest_transaction_seconds: number | null;
  tables: { name: string; rows_estimate: number | null; size_bytes: number | null; dead_rows: number | null; last_vacuum_at: string | null }[];
  journal?: unknown;
}

export const tenantPageQuery = (cursor?: string) =>
  queryOptions({ queryKey: ['tenants', 'page', cursor], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tenants', { params: { query: { limit: PAGE, cursor } }, signal })), ...LIVING });

/** One tenant by its slug, wherever it is in the list. */
export const tenantQuery = (slug: string) =>
  queryOptions({ queryKey: ['tenants', 'one', slug], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/tenants/{tenant}', { params: { path: { tenant: slug } }, signal })), retry: false });

export const queuePageQuery = (cursor?: string) =>
  queryOptions({ queryKey: ['queues', 'page', cursor], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/queues', { params: { query: { limit: PAGE, cursor } }, signal })), ...LIVING });

export const definitionPageQuery = (system: boolean, cursor?: string) =>
  queryOptions({ queryKey: ['definitions', 'full', system, cursor], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/admin/jobs/definitions', { params: { query: { limit: PAGE, include_system: system, cursor } }, signal })), ...LIVING });

export const definitionQuery = (key: string) =>
  queryOptions({ queryKey: ['definitions', 'one', key], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/admin/jobs/definitions/{key}', { params: { path: { key } }, signal })), ...LIVING });

export const keyPageQuery = (tenant: string | undefined, cursor?: string) =>
  queryOptions({ queryKey: ['keys', tenant, cursor], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/keys', { params: { query: { limit: PAGE, cursor } }, headers: naming(tenant), signal })), ...LIVING });

export interface AuditFilter { action?: string; actor?: string; target?: string; since?: string; until?: string; cursor?: string }
export const auditQuery = (tenant: string | undefined, filter: AuditFilter) =>
  queryOptions({ queryKey: ['audit', tenant, filter], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/audit', { params: { query: { ...filter, limit: 50 } }, headers: naming(tenant), signal })), ...LIVING });

async function askDatabase(signal: AbortSignal): Promise<{ data?: Database; error?: unknown; response: Response }> {
  const response = await fetch(`${API}/database`, { signal, credentials: 'same-origin' });
  const body: unknown = await response.json();
  return response.ok ? { data: body as Database, response } : { error: body, response };
}
export const databaseQuery = queryOptions({ queryKey: ['database'], queryFn: ({ signal }) => unwrap(askDatabase(signal)), ...LIVING, refetchInterval: 15_000 });

/** Do something at once: say what became of it, and look again. */
export function useAct() {
  const client = useQueryClient();
  return useCallback(async (act: Promise<unknown>, says: string, undo?: () => void) => {
    try {
      await act;
      notify(says, undo ? { action: { label: 'Undo', run: undo } } : {});
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
    }
    void client.invalidateQueries();
  }, [client]);
}
