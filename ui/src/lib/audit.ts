/** The audit log in words: who did what to which thing. */
import type { Schemas } from '../api/client';
import { shortId } from './jobs';
import { clock, day, plural } from './time';

export type Entry = Schemas['AuditEntry'];
type Thing = 'job' | 'definition' | 'queue' | 'tenant' | 'key' | 'worker' | 'session';

/** Each operation as a verb in the past and the thing it is done to. */
export const ACTIONS: Record<string, [verb: string, thing: Thing]> = {
  cancelJob: ['canceled', 'job'], retryJob: ['retried', 'job'], rescheduleJob: ['rescheduled', 'job'], editJob: ['edited', 'job'],
  createDefinition: ['made', 'definition'], changeDefinition: ['changed', 'definition'], putDefinition: ['changed', 'definition'], enableDefinition: ['enabled', 'definition'], disableDefinition: ['disabled', 'definition'], deleteDefinition: ['deleted', 'definition'], syncDefinitions: ['synced', 'definition'],
  putQueues: ['put', 'queue'], pauseQueue: ['paused', 'queue'], resumeQueue: ['resumed', 'queue'], deleteQueue: ['deleted', 'queue'],
  createTenant: ['made', 'tenant'], changeTenant: ['changed', 'tenant'], pauseTenant: ['paused', 'tenant'], resumeTenant: ['resumed', 'tenant'],
  createKey: ['made', 'key'], rotateKey: ['rotated', 'key'], revokeKey: ['revoked', 'key'], deleteWorker: ['forgot', 'worker'],
  createSession: ['signed in with', 'key'], endSession: ['signed out', 'session'], endSessions: ['signed out everywhere', 'session'], createSessionLink: ['made a sign-in link for', 'key'],
};

const text = (value: unknown): string => (typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value));

export interface Told { verb: string; thing: Thing | undefined; what: string; count: number }

/** What was done, to what. An operation that the page does not know is told by its own name. */
export function told(entry: Entry): Told {
  const [verb, thing] = ACTIONS[entry.action] ?? [entry.action, undefined];
  const count = Math.max(entry.target_count, entry.targets.length);
  if (thing === 'session') return { verb, thing, what: '', count: 0 };
  if (count !== 1) return { verb, thing, what: thing ? plural(count, thing) : `${count}`, count };
  const target = entry.targets[0] ?? '';
  return { verb, thing, what: thing === 'job' ? shortId(target) : target, count };
}

/** Who did it: the name of a key or a login, and its kind. */
export function whoOf(entry: Entry): { name: string; kind: string; id: string } {
  const { name, id, type } = entry.actor as { name?: string; id?: string; type?: string };
  return { name: name || id || entry.login, id: id ?? '', kind: type === 'session' ? 'web' : type === 'key' ? 'API' : type === 'login' ? 'database login' : type ?? '' };
}

const NAMES: Record<string, string> = { max_attempts: 'attempts', overlap_seconds: 'overlap', owner_user_id: 'owner', expires_at: 'expires', replaced_by: 'replaced by', scheduled_for: 'new time', max_in_flight: 'running at once', max_pending: 'waiting and running', by: 'with a' };
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const shown = (value: unknown): string => (typeof value === 'string' && INSTANT.test(value) ? `${day(Date.parse(value))} ${clock(Date.parse(value))}` : text(value));
const said = (name: string, value: unknown): string => `${NAMES[name] ?? name.replaceAll('_', ' ')} ${value === null ? 'none' : shown(value)}`;

/** The facts of an entry as one line: the reason first, changes as `name value`. */
export function detailOf(entry: Entry): string {
  const { reason, changes, from, to, ...rest } = entry.facts as Record<string, unknown>;
  return [
    text(reason),
    from !== undefined || to !== undefined ? `${text(from) || 'none'} → ${text(to) || 'none'}` : '',
    ...Object.entries((changes ?? {}) as Record<string, unknown>).map(([name, value]) => said(name, value)),
    ...Object.entries(rest).filter(([, value]) => value !== null && value !== '').map(([name, value]) => said(name, value)),
  ].filter(Boolean).join(', ');
}
