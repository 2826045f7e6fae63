/** The gates of the claim in the page's own words. What the page does not know is told in the server's. */
import type { Job } from '../api/client';
import type { Gate } from '../api/job';
import { absolute, age, millis, plural, relative } from './time';

type Of = Pick<Job, 'queue' | 'definition_key'> & { kind?: string };
/** A shut gate: what it is (`heading`: at the beginning of a sentence), what more is known, and what its evidence leads to. */
export interface Shut { title: string; heading: string; more: string; holders: string[]; others: number }

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const ids = (value: unknown): string[] => (Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : []);
const when = (value: unknown, now: number): string => { const at = millis(text(value) || undefined); return at === undefined ? '' : relative(at, now); };

/** `key:ek3cfmd8qwky (first key)` is somebody by the name of "first key". */
const nameOf = (actor: string): string => /^\w+:\S* \((.+)\)$/.exec(actor)?.[1] ?? actor;

function pausedBy({ evidence: e }: Gate, now: number): string {
  const since = when(e.paused_at, now);
  const who = text(e.paused_by) ? `By ${nameOf(text(e.paused_by))}${since && `, ${since}`}` : `Paused${since && ` ${since}`}`;
  return text(e.paused_reason) ? `${who}: ${text(e.paused_reason).replace(/[.]?$/, '.')}` : `${who}, without a reason.`;
}

function taken({ evidence: e }: Gate): string {
  const others = number(e.others);
  return `${number(e.used)} of ${plural(number(e.limit), 'slot')} ${number(e.limit) === 1 ? 'is' : 'are'} taken${others ? `, ${others} of them by other tenants` : ''}.`;
}

const listed = (names: string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

/** The title is the end of "Waits: …": it begins small. */
const TELL: Record<string, (gate: Gate, of: Of, now: number) => [title: string, more: string]> = {
  not_due: ({ evidence: e }, _, now) => [`it is due ${when(e.scheduled_for, now)}`, text(e.scheduled_for) ? `It may start from ${absolute(millis(text(e.scheduled_for))!)} on.` : ''],
  expired: ({ evidence: e }, _, now) => ['its time to start has passed', `It had to start ${when(e.expires_at, now)}. It is canceled within seconds.`],
  queue_paused: (gate, { queue }, now) => [`queue ${queue} is paused`, pausedBy(gate, now)],
  tenant_paused: (gate, _, now) => ['the tenant is paused', pausedBy(gate, now)],
  definition_gone: (_, { definition_key: key }) => [`${key} does not exist any more`, 'Create the definition again, or cancel the job.'],
  definition_inactive: ({ evidence: e }, { definition_key: key }, now) => (e.deleted_at ? [`${key} was deleted`, `It was deleted ${when(e.deleted_at, now)}.`] : [`${key} is disabled`, 'Enable the definition, or cancel the job.']),
  unbound: (_, { definition_key: key }) => [`${key} has no kind yet`, 'No live worker of the queue has registered it.'],
  queue_not_served: (_, { queue }) => [`no live worker serves queue ${queue}`, 'Start a worker for this queue, or move the job to another one.'],
  policy_mismatch: ({ evidence: e }, { definition_key: key }) => [`the policy of the worker${ids(e.workers).length === 1 ? '' : 's'} does not allow ${key} as it is now`, `${listed(ids(e.workers))} ${ids(e.workers).length === 1 ? 'has' : 'have'} another command under this key. Nothing was started, and no attempt is spent.`],
  no_worker: ({ evidence: e }, { definition_key: key, kind }, now) => [kind === 'command' ? `no live worker may run ${key}` : `no live worker knows ${key}`, text(e.last_worker_id) ? `The last one was ${text(e.last_worker_id)}, seen ${when(e.last_seen_at, now)}.` : kind === 'command' ? 'No policy in its queue names the command.' : 'None has known it in this queue so far.'],
  tenant_limit: (gate) => ['the tenant is at its limit', taken(gate)],
  definition_limit: (gate, { definition_key: key }) => [`${key} is at its limit`, taken(gate)],
  definition_tenant_limit: (gate, { definition_key: key }) => [`${key} is at its limit for this tenant`, taken(gate)],
};

/** What an open gate is called. */
const OPEN: Record<string, string> = {
  not_due: 'due', expired: 'in time', queue_paused: 'queue open', tenant_paused: 'tenant open', definition_gone: 'definition exists', definition_inactive: 'definition active', unbound: 'kind known',
  queue_not_served: 'queue served', policy_mismatch: 'no policy differs', no_worker: 'known to a live worker', tenant_limit: 'tenant limit', definition_limit: 'definition limit', definition_tenant_limit: 'limit for the tenant',
};

export const openName = (gate: Gate): string => OPEN[gate.name] ?? gate.name.replaceAll('_', ' ');
export const isLimit = (gate: Gate): boolean => gate.name.endsWith('_limit');

export const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** The gates that keep it back. A command that no policy allows as it is, is known to no worker either: that is said once. */
export const shutGates = (gates: Gate[]): Gate[] => {
  const shut = gates.filter((gate) => !gate.is_open);
  return shut.some((gate) => gate.name === 'policy_mismatch') ? shut.filter((gate) => gate.name !== 'no_worker') : shut;
};

/** The kind of the definition, which one gate tells. */
export const kindIn = (gates: Gate[]): string => text(gates.find((gate) => gate.name === 'unbound')?.evidence.kind);

/** `whose` names the tenant. */
export function tellShut(gate: Gate, of: Of, now: number, whose = 'this tenant'): Shut {
  const [says, more] = TELL[gate.name]?.(gate, of, now) ?? [`held by ${gate.name.replaceAll('_', ' ')}`, gate.detail];
  const title = says.replace('this tenant', whose);
  return { title, heading: title.startsWith(of.definition_key) ? title : capital(title), more, holders: isLimit(gate) ? ids(gate.evidence.jobs) : [], others: number(gate.evidence.others) };
}

const CAP = 10_000;

/** The place in line of a job that could run now. */
export function placeSaid(before: number | null, tenants: number | null, waited: number): string {
  const own = before === null ? '' : before === 0 ? 'No other job of this tenant is before it' : `${before >= CAP ? `At least ${plural(CAP, 'job')}` : plural(before, 'job')} of this tenant ${before === 1 ? 'is' : 'are'} before it`;
  const shared = tenants !== null && tenants > 1 ? `, and ${tenants} tenants take turns in its queue and priority` : '';
  return own ? `${own}${shared}. It has waited for ${age(waited)}.` : '';
}

