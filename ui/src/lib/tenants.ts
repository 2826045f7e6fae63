/** Tenants in words: who is paused, who is at a limit, who waits. */
import type { Schemas } from '../api/client';
import { age, count, plural } from './time';

export type Tenant = Schemas['Tenant'];
const CAP = 10_000; // where the server stops counting
const LATE_SECONDS = 300;

export const capped = (n: number): string => (n >= CAP ? `${count(CAP)}+` : count(n));
export const waitingOf = (t: Pick<Tenant, 'ready' | 'held'>): number => t.ready + t.held;

/** A limit is full when no further job may pass it. No limit is never full. */
export const isFull = (used: number, limit: number | null): boolean => limit !== null && used >= limit;

/** It runs as many jobs as it may, and more wait. */
export const isAtLimit = (t: Pick<Tenant, 'running' | 'max_in_flight' | 'ready' | 'held'>): boolean => isFull(t.running, t.max_in_flight) && waitingOf(t) > 0;

/** What waits and what runs together: an enqueue beyond it is refused. */
export const pendingOf = (t: Pick<Tenant, 'ready' | 'held' | 'upcoming' | 'running'>): number => t.ready + t.held + t.upcoming + t.running;

export const nameOf = (t: Pick<Tenant, 'name' | 'slug'>): string => t.name || t.slug;

function list(names: string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
const are = (names: string[]): string => (names.length === 1 ? 'is' : 'are');

/** The answer: whom something holds back, the worst first. */
export function tenantsAnswer(tenants: Tenant[]): string {
  const paused = tenants.filter((t) => t.paused_at).map(nameOf);
  if (paused.length) return `${list(paused)} ${are(paused)} paused`;
  const refused = tenants.filter((t) => isFull(pendingOf(t), t.max_pending)).map(nameOf);
  if (refused.length) return `${list(refused)} can enqueue no more`;
  const full = tenants.filter(isAtLimit).map(nameOf);
  if (full.length) return `${list(full)} ${are(full)} at ${full.length === 1 ? 'its' : 'their'} limit`;
  const late = tenants.filter((t) => (t.oldest_due_seconds ?? 0) > LATE_SECONDS).sort((a, b) => b.oldest_due_seconds! - a.oldest_due_seconds!)[0];
  if (late) return `${nameOf(late)} has waited for ${age(late.oldest_due_seconds! * 1000)}`;
  return 'No tenant is held back';
}

export function tenantsSum(tenants: Tenant[]): string {
  const sum = (of: (t: Tenant) => number) => tenants.reduce((n, t) => n + of(t), 0);
  const waiting = sum(waitingOf), running = sum((t) => t.running);
  const least = tenants.some((t) => Math.max(t.ready, t.held) >= CAP) ? 'at least ' : '';
  return `${plural(tenants.length, 'tenant')}: ${waiting ? `${least}${count(waiting)} ${waiting === 1 ? 'job waits' : 'jobs wait'}` : 'nothing waits'}, ${running ? `${count(running)} ${running === 1 ? 'runs' : 'run'}` : 'nothing runs'}.`;
}
