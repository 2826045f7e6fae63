/** What became of a job, or what keeps it, in one sentence: the heading of its page. */
import type { Job } from '../api/client';
import type { Explanation } from '../api/job';
import { kindIn, tellShut } from './gates';
import { errorLine, noteOf } from './jobs';
import { age, clockSeconds, duration, millis, plural, relative } from './time';

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
export const ordinal = (n: number): string => ORDINALS[n] ?? `${n}${n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;

const LONGEST = 140;
export const cut = (text: string, most = LONGEST): string => (text.length > most ? `${text.slice(0, most).trimEnd()}…` : text);

/** Why an attempt or a job ended as it did, where no error says it. */
const REASONS: Record<string, string> = {
  invalid_payload: 'its payload does not fit the schema',
  interrupted: 'it was interrupted too often',
  expired: 'it expired before it started',
  shutdown: 'the worker was shut down',
  snooze: 'the handler asked to be called later',
  unstarted: 'the worker gave it back before it began',
  suspect: 'it may have crashed its executor, and runs alone from now on',
  neighbour: 'a job beside it crashed the executor',
  lost_contact: 'the worker lost contact with the database',
  lease_expired: 'the lease expired before the handler began',
  policy_mismatch: 'the policy of the worker does not allow the command as it is; no process was started',
  inactive: 'the definition is disabled; no process was started',
  timeout: 'it ran longer than it may',
  stuck: 'it did not stop at its timeout, and its process was killed',
  lost: 'the worker was lost',
  exit_code: 'the exit code of the command says so',
  signal: 'a signal ended the command',
  not_started: 'no process could be started',
  invalid_result: 'the result of the command cannot be kept',
};
/** The same of a job that may start only once, and was cut off. */
const CUT_OFF: Record<string, string> = {
  suspect: 'it may have crashed its executor',
  lease_expired: 'its worker was lost',
};
export const reasonSaid = (reason: string | null | undefined): string => (reason ? REASONS[reason] ?? reason.replaceAll('_', ' ') : '');

const why = (job: Job): string => {
  const said = job.error ? errorLine(job.error) : (job.status === 'dead_letter' && CUT_OFF[job.reason ?? '']) || reasonSaid(job.reason);
  return said ? `: ${cut(said)}` : '';
};
const onAttempt = (job: Job): string => (job.attempt_no > 1 ? ` on its ${ordinal(job.attempt_no)} attempt` : '');

function waiting(job: Job, explanation: Explanation | undefined, now: number, whose?: string): string {
  const due = millis(job.scheduled_for) ?? now;
  const shut = explanation?.gates.find((gate) => !gate.is_open && gate.name !== 'not_due');
  if (shut) return `Waits: ${tellShut(shut, { ...job, kind: kindIn(explanation!.gates) }, now, whose).title}`;
  if (due > now + 1000) return job.attempts > 0 ? `Waits for its ${ordinal(job.attempt_no + 1)} attempt, ${relative(due, now)}` : `Starts ${relative(due, now)}`;
  if (job.held_by) return `Waits: ${noteOf({ ...job, error: null }, now).replace(/^(Queue|The|No) /, (word) => word.toLowerCase())}`;
  return `Waits for a worker for ${age(now - due)}`;
}

/** The heading, for each state. */
export function headline(job: Job, explanation: Explanation | undefined, now: number, whose?: string): string {
  switch (job.status) {
    case 'queued': return waiting(job, explanation, now, whose);
    case 'running': return `${job.cancel_requested_at ? 'Asked to stop, runs' : 'Runs'} for ${age(now - (millis(job.started_at) ?? now))}${onAttempt(job)}`;
    case 'succeeded': return `Succeeded${onAttempt(job)}${job.duration_ms === null ? '' : ` in ${duration(job.duration_ms)}`}`;
    case 'failed': return `Failed${onAttempt(job)}${why(job)}`;
    case 'dead_letter': return `Dead letter after ${plural(job.attempts, 'attempt')}${why(job)}`;
    case 'canceled': return job.reason === 'expired' ? 'Expired before it started' : job.attempt_no === 0 ? 'Canceled before it started' : `Canceled${job.started_at && job.finished_at ? ` after ${duration(millis(job.finished_at)! - millis(job.started_at)!)}` : onAttempt(job)}`;
  }
}

/** One more sentence, on what the heading leaves open. */
export function details(job: Job, explanation: Explanation | undefined, now: number): string {
  const on = job.worker_id ? ` on ${job.worker_id}` : '';
  const [due, started, finished] = [Math.max(millis(job.scheduled_for) ?? 0, millis(job.created_at) ?? 0), millis(job.started_at), millis(job.finished_at)];
  switch (job.status) {
    case 'queued': {
      const again = job.attempts > 0 && job.error ? `Attempt ${job.attempt_no} ended with ${cut(errorLine(job.error))} ` : '';
      const isHeld = explanation?.gates.some((gate) => !gate.is_open && gate.name !== 'not_due');
      return `${again}${isHeld ? `It has waited for ${age(now - due)}. Nothing is wrong with the job itself.` : ''}`.trim();
    }
    case 'running': {
      const lease = (millis(job.lease_expires_at) ?? now) - now;
      const asked = job.cancel_requested_at ? ` It was asked to stop ${relative(millis(job.cancel_requested_at)!, now)}${job.cancel_reason ? `: ${job.cancel_reason}` : ''}.` : '';
      return `${job.worker_id ? `On ${job.worker_id}` : 'Runs'}${started === undefined ? '' : ` since ${clockSeconds(started)}`}. ${lease > 0 ? `Its lease is good for another ${age(lease)}.` : 'Its lease has expired: the attempt is ended within seconds.'}${asked}`;
    }
    case 'succeeded': return started === undefined ? '' : `Ran${on}, after waiting ${duration(Math.max(0, started - due))}.`;
    case 'failed': return `Ended without another try${on && `,${on}`}: trying again as it is cannot help.`;
    case 'dead_letter': return `Gave up after ${job.attempts} of ${plural(job.max_attempts, 'counted attempt')}${on && `, the last${on}`}. It waits for a person.`;
    case 'canceled': return job.reason === 'expired' ? 'It had to start by the time that its request named.' : [job.reason && `Reason: ${job.reason}.`.replace('..', '.'), finished !== undefined && `Ended ${relative(finished, now)}.`].filter(Boolean).join(' ');
  }
}
