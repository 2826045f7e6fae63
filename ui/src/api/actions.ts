/** What a person does to jobs: at most 200 in a call, with a way back from a cancel. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useCaller } from '../lib/caller';
import { movedSaid } from '../lib/job-words';
import { notify } from '../lib/notices';
import { MOST } from '../lib/selection';
import { api, naming, unwrap } from './client';

const UNDO_MS = 5000;

/** Cancel and retry of jobs that are on the page. Each says what became of it. */
export function useJobActions() {
  const client = useQueryClient();
  const { tenant } = useCaller();
  const refresh = useCallback(() => void client.invalidateQueries(), [client]);

  const retry = useCallback(async (ids: string[]) => {
    try {
      const { results } = await unwrap(api.POST('/api/v1/jobs/actions/retry', { body: { ids: ids.slice(0, MOST) }, headers: naming(tenant) }));
      notify(movedSaid(results));
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
    }
    refresh();
  }, [refresh, tenant]);

  const cancel = useCallback(async (ids: string[], reason?: string) => {
    try {
      const { results } = await unwrap(api.POST('/api/v1/jobs/actions/cancel', { body: { ids: ids.slice(0, MOST), reason }, headers: naming(tenant) }));
      const waited = results.filter((r) => r.outcome === 'canceled').map((r) => r.id);
      notify(movedSaid(results), waited.length ? { ms: UNDO_MS, action: { label: 'Undo', run: () => void retry(waited) } } : {});
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
    }
    refresh();
  }, [refresh, retry, tenant]);

  return { retry, cancel };
}
