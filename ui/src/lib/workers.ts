/** Workers in words: who is alive, who is silent, and what that means for the queues. */
import type { Schemas } from '../api/client';
import { millis, MINUTE, plural } from './time';

export type Worker = Schemas['Worker'];
export type Queue = Schemas['Queue'];

export const stateOfWorker = (w: Pick<Worker, 'stale' | 'draining'>): 'ok' | 'stale' | 'draining' => (w.stale ? 'stale' : w.draining ? 'draining' : 'ok');

/** Silent ones first, then by name: a row never moves because another was heard from. */
export const inOrder = (workers: Worker[]): Worker[] => [...workers].sort((a, b) => Number(b.stale) - Number(a.stale) || a.worker_id.localeCompare(b.worker_id));

/** The workers that hand out jobs of a queue now. */
export const serving = (workers: Worker[], queue: string): Worker[] => workers.filter((w) => !w.stale && !w.draining && w.queues.includes(queue));

/** Queues of a worker that nobody else serves. */
export const deserted = (worker: Worker, workers: Worker[]): string[] => worker.queues.filter((q) => serving(workers, q).length === 0);

export function workersAnswer(workers: Worker[]): string {
  const silent = workers.filter((w) => w.stale);
  const alive = workers.length - silent.length;
  if (!workers.length) return 'No worker has ever said hello';
  if (!silent.length) return alive === 1 ? 'The one worker is alive' : `All ${alive} workers are alive`;
  return `${alive} of ${plural(workers.length, 'worker')} ${alive === 1 ? 'is' : 'are'} alive; ${silent.length === 1 ? `${silent[0]!.worker_id} is silent` : `${silent.length} are silent`}`;
}

/** `0.2.0 on 3, 0.1.0 on 1`, the newest first. */
export function versionsOf(workers: Worker[]): string {
  const alive = workers.filter((w) => !w.stale);
  return [...new Set(alive.map((w) => w.version))].sort((a, b) => b.localeCompare(a, 'en', { numeric: true })).map((v) => `${v} on ${alive.filter((w) => w.version === v).length}`).join(', ');
}

export interface Event { at: number | null; says: string }

/** What happened to a silent worker, as far as is known. */
export function storyOf(worker: Worker, workers: Worker[], queues: Queue[]): Event[] {
  const seen = millis(worker.last_seen_at)!;
  const alone = deserted(worker, workers);
  const waiting = queues.filter((q) => alone.includes(q.name)).reduce((n, q) => n + q.ready + q.held, 0);
  return [
    { at: seen, says: `last heartbeat, ${worker.running_count} of ${plural(worker.slots, 'slot')} busy` },
    { at: seen + MINUTE, says: 'not heard from for a minute: counted as silent' },
    { at: null, says: worker.oldest_lease_at ? 'it still holds leases; its jobs run again when they end' : 'it holds no lease: what it ran has ended, or runs again elsewhere' },
    ...(alone.length ? [{ at: null, says: `no other worker serves ${alone.join(', ')}${waiting ? `; ${plural(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'} there` : ''}` }] : []),
  ];
}
