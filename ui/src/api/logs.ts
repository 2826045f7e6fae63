import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { DAY, HOUR, MINUTE } from '../lib/time';
import { api, naming, type Schemas, unwrap } from './client';

export const MOST_LINES = 200;
/** How far back a search looks, by its word in the URL. */
export const SPANS: Record<string, number> = { '15m': 15 * MINUTE, '1h': HOUR, '24h': DAY, '7d': 7 * DAY };
export type FoundLine = Schemas['FoundLine'] & { tenant?: string | null };

export interface LogsAsked { q: string; level?: string; definition?: string; since?: string }

/** Lines of all jobs of a tenant that have all words of a text. */
export const foundLinesQuery = (tenant: string | undefined, { q, level, definition, since }: LogsAsked) =>
  queryOptions({
    queryKey: ['logs', tenant, q, level, definition, since],
    queryFn: async ({ signal }) => {
      const span = since ? SPANS[since] : undefined;
      const query = { q, limit: MOST_LINES, level: level as Schemas['FoundLine']['level'] | undefined, definition_key: definition ? [definition] : undefined, since: span ? new Date(Date.now() - span).toISOString() : undefined };
      const found = await unwrap(api.GET('/api/v1/logs', { params: { query }, headers: naming(tenant), signal }));
      const items = (found.items as FoundLine[]).toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || b.attempt_no - a.attempt_no || b.line - a.line);
      return { items, isWhole: found.scanned_all, isFull: items.length >= MOST_LINES };
    },
    placeholderData: keepPreviousData, staleTime: 60_000,
  });
