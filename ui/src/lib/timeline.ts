/** Attempts on one true scale of time. */
import type { Attempt, Job } from '../api/client';
import { age, duration, HOUR, millis, MINUTE, SECOND } from './time';

export interface Stretch { attempt: Attempt; no: number; counted: number | undefined; due: number; start: number; stop: number; isRunning: boolean; next: number | undefined }
export interface Timeline { from: number; span: number; ticks: number[]; rows: Stretch[] }

type Facts = Pick<Job, 'status' | 'created_at' | 'scheduled_for' | 'attempts'>;
const STEPS = [10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 15, 30].map((s) => s * SECOND), ...[1, 2, 5, 10, 15, 30].map((m) => m * MINUTE), ...[1, 2, 4, 8, 12, 24, 48, 96, 168, 336, 720].map((h) => h * HOUR)];
const MOST_TICKS = 7;
const ENDS = new Set(['failed', 'dead_letter', 'canceled', 'succeeded']);

/** The place of each attempt in the budget: a released one spends nothing, a person's retry makes it new. Undefined where that is not known, because older attempts are not loaded. */
function places(attempts: Attempt[], spent: number): (number | undefined)[] {
  let n = 0;
  const found = attempts.map((attempt, i) => {
    const before = attempts[i - 1];
    if (before?.led_to && ENDS.has(before.led_to)) n = 0;
    return attempt.status === 'released' ? undefined : ++n;
  });
  if ((attempts[0]?.attempt_no ?? 1) === 1) return found;
  const renewed = attempts.findIndex((attempt, i) => i < attempts.length - 1 && attempt.led_to && ENDS.has(attempt.led_to)) + 1;
  return found.map((place, i) => (place === undefined || i >= renewed && renewed > 0 ? place : renewed > 0 ? undefined : place + spent - n));
}

/** Where each attempt lies, the newest `most` of them. `next` is when its backoff ends. */
export function layOut(job: Facts, newestFirst: Attempt[], now: number, most = newestFirst.length): Timeline {
  const attempts = newestFirst.toReversed();
  const counted = places(attempts, job.attempts);
  const rows = attempts.map((attempt, i): Stretch => {
    const start = millis(attempt.started_at) ?? now;
    const stop = millis(attempt.finished_at) ?? Math.max(now, start);
    const after = attempts[i + 1];
    const next = attempt.led_to !== 'queued' ? undefined : millis(after ? after.scheduled_for : job.status === 'queued' ? job.scheduled_for : undefined);
    return {
      attempt, no: attempt.attempt_no, counted: counted[i],
      due: Math.min(millis(attempt.scheduled_for) ?? start, start), start, stop, isRunning: attempt.finished_at === null,
      next: next !== undefined && next > stop ? next : undefined,
    };
  }).slice(-most);
  const from = rows[0]?.due ?? millis(job.created_at) ?? now;
  const last = rows.reduce((most, r) => Math.max(most, r.stop, r.next ?? 0), from);
  const end = job.status === 'queued' ? Math.max(last, now) : last;
  const span = Math.max(1, (end - from) * 1.02);
  const step = STEPS.find((s) => span / s <= MOST_TICKS) ?? span / MOST_TICKS;
  return { from, span, ticks: Array.from({ length: Math.floor(span / step) + 1 }, (_, i) => from + i * step), rows };
}

/** A point of time as a percentage of the whole. */
export const place = ({ from, span }: Pick<Timeline, 'from' | 'span'>, at: number): number => Math.max(0, Math.min(100, ((at - from) / span) * 100));

/** The label of a tick: how long after the beginning. */
export const tickSaid = (ms: number): string => `+${ms < SECOND ? duration(ms) : age(ms)}`;
