/** Queues in words: which one does not move, and why. */
import { plural } from './time';
import { type Queue, serving, type Worker } from './workers';

export type QueueState = 'paused' | 'deserted' | 'idle' | 'moves';

/** A queue without a worker is wrong only if something waits in it. */
export function queueState(queue: Queue, workers: Worker[]): QueueState {
  if (queue.paused_at) return 'paused';
  if (serving(workers, queue.name).length) return 'moves';
  return queue.ready + queue.held > 0 ? 'deserted' : 'idle';
}

export const QUEUE_STATES: Record<QueueState, [glyph: string, word: string]> = { paused: ['held', 'Paused'], deserted: ['stuck', 'No worker'], idle: ['queued', 'No worker, nothing waits'], moves: ['ok', 'Moves'] };

export function queuesAnswer(queues: Queue[], workers: Worker[]): { title: string; more: string } {
  const of = (state: QueueState) => queues.filter((q) => queueState(q, workers) === state);
  const [stuck, paused, moving] = [of('deserted'), of('paused'), of('moves')];
  const waiting = (qs: Queue[]) => qs.reduce((n, q) => n + q.ready + q.held, 0);
  const many = (qs: Queue[], one: string, several: string) => (qs.length === 1 ? `Queue ${qs[0]!.name} ${one}` : `${qs.length} queues ${several}`);
  const title = stuck.length ? many(stuck, 'has no worker', 'have no worker') : paused.length ? many(paused, 'is paused', 'are paused') : 'No queue is stuck';
  const parts = [
    stuck.length ? `${plural(waiting(stuck), 'job')} ${waiting(stuck) === 1 ? 'waits' : 'wait'} there.` : '',
    stuck.length && paused.length ? `${many(paused, 'is paused', 'are paused')}.` : '',
    paused.length && !stuck.length && waiting(paused) ? `${plural(waiting(paused), 'job')} ${waiting(paused) === 1 ? 'waits' : 'wait'} there.` : '',
    (stuck.length || paused.length) && moving.length ? `${moving.length === 1 ? 'One other moves' : `${moving.length} others move`}.` : '',
  ];
  return { title, more: parts.filter(Boolean).join(' ') };
}
