/** What a person does to jobs: at most 200 in a call, with a way back from a cancel. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useCaller } from '../lib/caller';
import { notify } from '../lib/notices';
import { plural } from '../lib/time';
import { api, naming, type Schemas, unwrap } from './client';

type Result = Schemas['SelectionOut']['results'][number];
export const MOST = 200;
const UNDO_MS = 5000;

const say = (results: Result[], outcome: string, word: string): string => {
  const done = results.filter((r) => r.outcome === outcome).length;
  return done ? `${plural(done, 'job')} ${word}` : '';
};

function sum(results: Result[], parts: [string, string][]): string {
  const said = parts.map(([outcome, word]) => say(results, outcome, word)).filter(Boolean);
  const known = new Set(parts.map(([outcome]) => outcome));
  const left = results.filter((r) => !known.has(r.outcome)).length;
  if (left) said.push(`${plural(left, 'job')} left as ${left === 1 ? 'it is' : 'they are'}`);
  return `${said.join(', ')}.`;
}

/** Cancel and retry of jobs that are on the page. Each says what became of it. */
export function useJobActions() {
  const client = useQueryClient();
  const { tenant } = useCaller();
  const refresh = useCallback(() => void client.invalidateQueries(), [client]);

  const retry = useCallback(async (ids: string[]) => {
    try {
      const { results } = await unwrap(api.POST('/api/v1/jobs/actions/retry', { body: { ids: ids.slice(0, MOST) }, headers: naming(tenant) }));
      notify(sum(results, [['retried', 'will run again']]));
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
    }
    refresh();
  }, [refresh, tenant]);

  const cancel = useCallback(async (ids: string[], reason?: string) => {
    try {
      const { results } = await unwrap(api.POST('/api/v1/jobs/actions/cancel', { body: { ids: ids.slice(0, MOST), reason }, headers: naming(tenant) }));
      const waited = results.filter((r) => r.outcome === 'canceled').map((r) => r.id);
      notify(sum(results, [['canceled', 'canceled'], ['requested', 'asked to stop']]), waited.length ? { ms: UNDO_MS, action: { label: 'Undo', run: () => void retry(waited) } } : {});
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
    }
    refresh();
  }, [refresh, retry, tenant]);

  return { retry, cancel };
}
