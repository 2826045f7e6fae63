/** A job in words: its state, its arguments, and what is up with it. */
import type { Job } from '../api/client';
import { age, millis, relative } from './time';

/** The gates of the claim, as the second line of a waiting job says them. */
const GATES: Record<string, (job: Job) => string> = {
  queue_paused: (job) => `Queue ${job.queue} is paused`,
  tenant_paused: () => 'The tenant is paused',
  definition_inactive: (job) => `${job.definition_key} is disabled`,
  unbound: (job) => `${job.definition_key} has no kind yet`,
  definition_gone: (job) => `${job.definition_key} does not exist any more`,
  queue_not_served: (job) => `No live worker serves queue ${job.queue}`,
  policy_mismatch: (job) => `No policy of a live worker allows ${job.definition_key} as it is now`,
  no_worker: (job) => `No live worker knows ${job.definition_key}`,
  tenant_limit: () => 'The tenant runs as many jobs as it may',
  definition_limit: (job) => `${job.definition_key} runs as often as it may`,
  definition_tenant_limit: (job) => `${job.definition_key} runs as often as it may for this tenant`,
};

/** The state that a person sees: a waiting job that a gate keeps back is held. */
export const stateOf = (job: Job): string => (job.status === 'queued' && job.held_by ? 'held' : job.display_state);

export const shortId = (id: string): string => id.slice(-8);

const scalar = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');

/** The payload as one line: `invoice_id=INV-20418 copies=2`. */
export const argsOf = (payload: Record<string, unknown> | null | undefined, most = 200): string =>
  Object.entries(payload ?? {}).map(([name, value]) => `${name}=${scalar(value)}`).join(' ').slice(0, most);

export const firstLine = (text: string | null | undefined): string => (text ?? '').split('\n').map((l) => l.trim()).find(Boolean) ?? '';

const lastLine = (text: string | null | undefined): string => (text ?? '').split('\n').map((l) => l.trim()).filter(Boolean).at(-1) ?? '';
const COMMAND_ENDED = /^The command ended with (exit code \d+: .+|signal \w+: .+)$/;

/** The last line of a traceback names the error; the first one only says that there is a traceback. */
export function errorLine(error: string | null | undefined): string {
  const first = firstLine(error);
  const how = COMMAND_ENDED.exec(first)?.[1];
  if (how) return `${how.charAt(0).toUpperCase()}${how.slice(1)}`;
  if (!first.startsWith('Traceback')) return first;
  return lastLine(error) || first;
}

function waiting(job: Job, now: number): string {
  const due = millis(job.scheduled_for) ?? now;
  const again = job.attempts > 0 && job.error ? ` · ${errorLine(job.error)}` : '';
  if (job.held_by) return (GATES[job.held_by]?.(job) ?? `Held: ${job.held_by}`) + again;
  if (due > now + 1000) return `${job.attempts > 0 ? 'Again' : 'Starts'} ${relative(due, now)}${again}`;
  return job.attempts > 0 ? `Waits for its next attempt${again}` : `Waits for a worker for ${age(now - due)}`;
}

/** What is up with a job, in one line: never its status alone. */
export function noteOf(job: Job, now: number): string {
  switch (job.status) {
    case 'queued': return waiting(job, now);
    case 'running': return job.cancel_requested_at ? 'Asked to stop' : job.progress_message || (job.worker_id ? `on ${job.worker_id}` : '');
    case 'succeeded': return resultLine(job.result);
    case 'canceled': return job.reason === 'expired' ? 'Expired before it started' : job.reason || 'Canceled';
    default: return errorLine(job.error) || job.reason || '';
  }
}

export function resultLine(result: unknown): string {
  if (result === null || result === undefined) return '';
  return typeof result === 'object' && !Array.isArray(result) ? argsOf(result as Record<string, unknown>) : scalar(result).slice(0, 200);
}

export const isEnded = (job: Pick<Job, 'status'>): boolean => job.status !== 'queued' && job.status !== 'running';
export const mayRetry = (job: Pick<Job, 'status'>): boolean => job.status === 'failed' || job.status === 'dead_letter' || job.status === 'canceled';
export const mayCancel = (job: Pick<Job, 'status' | 'cancel_requested_at'>): boolean => job.status === 'queued' || (job.status === 'running' && !job.cancel_requested_at);
