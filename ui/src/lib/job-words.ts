/** The list of jobs in words: how many match, whether they fail alike, what a selection leaves out. */
import type { Job, Schemas } from '../api/client';
import { errorLine, isEnded, mayCancel, mayRetry } from './jobs';
import { count, plural } from './time';

type Counts = Pick<Schemas['Summary'], 'queued' | 'running' | 'succeeded' | 'failed' | 'dead_letter' | 'canceled'>;
type State = Pick<Job, 'status' | 'cancel_requested_at'>;

/** The server counts no further than this in each status. */
export const CAP = 10_000;
export const capped = (n: number): string => (n >= CAP ? `${count(CAP)}+` : count(n));

/** The jobs in these statuses together, and whether there may be more. */
export function total(counts: Counts, statuses: readonly (keyof Counts)[]): { n: number; isMore: boolean } {
  return { n: statuses.reduce((sum, s) => sum + counts[s], 0), isMore: statuses.some((s) => counts[s] >= CAP) };
}

export const matches = ({ n, isMore }: { n: number; isMore: boolean }): string =>
  n === 0 && !isMore ? 'No job matches' : isMore ? `${count(n)}+ jobs match` : plural(n, 'job matches', 'jobs match');

/** How many match, as far as one page tells. */
export function pageMatches(page: { items: unknown[]; next_cursor: string | null; scanned_all: boolean }, isFirst: boolean): string {
  const n = page.items.length;
  if (!isFirst) return n ? 'Older jobs that match' : 'No older job matches';
  if (page.next_cursor === null) return matches({ n, isMore: false });
  return n === 0 ? 'No job found yet' : `${page.scanned_all ? 'More than' : 'At least'} ${plural(n, 'job matches', 'jobs match')}`;
}

/** One error with its numbers and ids taken out: `row 780 has no price` and `row 12 has no price` are alike. */
const kindOf = (error: string): string => error.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|\d+/gi, '#');

export interface Alike { failures: number; kinds: number; error: string; times: number }

/** Whether the failures among these jobs are alike; undefined: fewer than three failed. */
export function alike(jobs: Pick<Job, 'status' | 'error'>[]): Alike | undefined {
  const errors = jobs.filter((job) => (job.status === 'failed' || job.status === 'dead_letter') && job.error).map((job) => errorLine(job.error));
  if (errors.length < 3) return undefined;
  const kinds = new Map<string, string[]>();
  for (const error of errors) kinds.set(kindOf(error), [...(kinds.get(kindOf(error)) ?? []), error]);
  const [most] = [...kinds.values()].sort((a, b) => b.length - a.length);
  return { failures: errors.length, kinds: kinds.size, error: most![0]!, times: most!.length };
}

/** What ended badly among all jobs. */
export function badSaid(counts: Counts): string {
  const parts = [counts.failed && `${capped(counts.failed)} failed`, counts.dead_letter && `${capped(counts.dead_letter)} ${counts.dead_letter === 1 ? 'is a dead letter' : 'are dead letters'}`].filter(Boolean);
  return parts.length ? `${parts.join(', ')}.` : 'None of them failed.';
}

/** What keeps the waiting ones. */
export function waitingSaid({ ready, held, upcoming }: Pick<Schemas['Summary'], 'ready' | 'held' | 'upcoming'>): string {
  const are = (n: number) => (n === 1 ? 'is' : 'are');
  const parts = [ready && `${capped(ready)} could start now`, held && `${capped(held)} ${are(held)} held by a gate`, upcoming && `${capped(upcoming)} ${are(upcoming)} not due yet`].filter(Boolean);
  return parts.length ? `${parts.join(', ')}.` : '';
}

export function failuresSaid(jobs: Pick<Job, 'status'>[]): string {
  const n = jobs.filter((job) => job.status === 'failed' || job.status === 'dead_letter').length;
  return n ? `${count(n)} of those on this page failed.` : 'None of those on this page failed.';
}

const reasons = (parts: [number, string, string][]): string => parts.filter(([n]) => n).map(([n, one, many]) => `${count(n)} ${n === 1 ? one : many}`).join(', ');

/** What each action leaves out of a selection, and why. */
export function leftOut(jobs: State[]): string[] {
  const [retry, cancel] = [jobs.filter(mayRetry).length, jobs.filter(mayCancel).length];
  const ended = jobs.filter(isEnded).length;
  const succeeded = jobs.filter((job) => job.status === 'succeeded').length;
  const said: string[] = [];
  if (retry && retry < jobs.length) said.push(`Retry leaves out ${reasons([[succeeded, 'that succeeded', 'that succeeded'], [jobs.length - ended, 'that is not over', 'that are not over']])}.`);
  if (cancel && cancel < jobs.length) said.push(`Cancel leaves out ${reasons([[ended, 'that has ended', 'that have ended'], [jobs.length - ended - cancel, 'that was asked to stop before', 'that were asked to stop before']])}.`);
  if (!retry && !cancel) said.push(`Nothing to do: ${reasons([[succeeded, 'succeeded', 'succeeded'], [jobs.length - ended, 'was asked to stop before', 'were asked to stop before']])}.`);
  return said;
}

/** The outcomes of a cancel or a retry, in the order in which they are said. */
const OUTCOMES: Record<string, string> = { queued: 'will run again', canceled: 'canceled', requested: 'asked to stop', ended: 'had ended before', not_found: 'not found' };
const REFUSED: Record<string, string> = {
  illegal_move: 'only what failed or was canceled can be retried',
  duplicate_job: 'a newer job has the same dedupe key',
  quota_exceeded: 'too many jobs wait',
  definition_inactive: 'the definition is disabled',
  unknown_queue: 'the queue does not exist any more',
  invalid_payload: 'the payload does not fit the definition any more',
};

/** What became of the jobs of one call. */
export function movedSaid(results: { outcome: string }[]): string {
  const outcomes = [...new Set([...Object.keys(OUTCOMES), ...results.map((r) => r.outcome)])];
  const said = outcomes.flatMap((outcome) => {
    const n = results.filter((r) => r.outcome === outcome).length;
    if (n === 0) return [];
    return [`${plural(n, 'job')} ${OUTCOMES[outcome] ?? `left as ${n === 1 ? 'it is' : 'they are'}: ${REFUSED[outcome] ?? outcome}`}`];
  });
  return `${said.join('; ')}.`;
}
