/** A definition in words: what a person has set here, what its code says, and whether it runs. */
import type { Definition } from '../api/client';
import { count, DAY, duration, HOUR, MINUTE, SECOND } from './time';

/** What a definition has where its code says nothing. */
const DEFAULTS: Record<string, unknown> = {
  description: '', queue: 'default', priority: 100, timeout_seconds: 3600, max_attempts: 3, backoff: { base: 5, factor: 2, cap: 300, jitter: 0.5 }, max_running: null, max_running_per_tenant: null,
  retention_days: null, retention_days_logs: null, retention_count: null, active: true, tags: [], system: false, metadata: {}, default_payload: null,
};

/** The fields that a person may set, in the order of the page, with their names in words. */
export const FIELDS: Record<string, string> = {
  active: 'enabled', description: 'description', queue: 'queue', priority: 'priority', timeout_seconds: 'timeout', max_attempts: 'attempts', backoff: 'backoff', max_running: 'running at once',
  max_running_per_tenant: 'running per tenant', retention_days: 'jobs kept', retention_days_logs: 'logs kept', retention_count: 'most jobs kept', tags: 'tags', system: 'system', metadata: 'metadata', default_payload: 'default payload',
};

/** What it means that a field has no value. */
const MISSING: Record<string, string> = { max_running: 'no limit', max_running_per_tenant: 'no limit', retention_days: 'by default', retention_days_logs: 'by default', retention_count: 'no limit' };

const seconds = (n: number): string => {
  const ms = n * SECOND;
  const unit = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'min']] as const;
  const whole = unit.find(([size]) => ms >= size && ms % size === 0);
  return whole ? `${ms / whole[0]} ${whole[1]}` : ms < MINUTE ? `${n} s` : duration(ms);
};

interface Backoff { base: number; factor: number; cap: number; jitter: number }
const backoff = (b: Backoff): string => `${seconds(b.base)}${b.factor === 1 ? '' : ` × ${b.factor}`}, up to ${seconds(b.cap)}, jitter ${Math.round(b.jitter * 100)} %`;

const short = (text: string, most = 60): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A value of a field, as a person reads it. */
export function valueOf(field: string, value: unknown): string {
  if (value === null || value === undefined) return MISSING[field] ?? 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (field === 'timeout_seconds') return seconds(Number(value));
  if (field === 'retention_days' || field === 'retention_days_logs') return `${count(Number(value))} d`;
  if (field === 'backoff') return backoff({ ...(DEFAULTS.backoff as Backoff), ...(value as Partial<Backoff>) });
  if (typeof value === 'number') return count(value);
  if (Array.isArray(value)) return value.length ? short(value.join(', ')) : 'none';
  if (typeof value === 'object') return Object.keys(value).length ? short(JSON.stringify(value)) : 'none';
  return value === '' ? 'none' : short(String(value));
}

/** What the code says of a field; undefined where there is no code. */
export function inCode(definition: Pick<Definition, 'code'>, field: string): unknown {
  if (!definition.code) return undefined;
  return field in definition.code ? definition.code[field] : DEFAULTS[field];
}

/** The order of names in a document means nothing. */
function isSame(field: string, code: unknown, here: unknown): boolean {
  if (field === 'backoff') return valueOf(field, code) === valueOf(field, here);
  const sorted = (value: unknown) => JSON.stringify(value, (_, v: unknown) => (v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v));
  return sorted(code) === sorted(here);
}

export interface Drift { field: string; name: string; code: string; here: string; isSame: boolean }

/** Every field that a person has set: `code → here`. One with the code's own value is kept too, when the code changes. */
export function driftOf(definition: Definition): Drift[] {
  return Object.keys(FIELDS).filter((field) => definition.overridden.includes(field)).map((field) => {
    const [code, here] = [inCode(definition, field), definition[field as keyof Definition]];
    return { field, name: FIELDS[field]!, code: valueOf(field, code), here: valueOf(field, here), isSame: isSame(field, code, here) };
  });
}

/** The state of a definition: a shape, and a word. */
export function stateOf(definition: Pick<Definition, 'active' | 'deleted_at' | 'deleted_from_code' | 'kind'>): [state: string, word: string] {
  if (definition.deleted_at) return ['canceled', 'Deleted'];
  if (definition.deleted_from_code) return ['held', 'Gone from the code'];
  if (!definition.active) return ['skipped', 'Disabled'];
  if (!definition.kind) return ['held', 'Has no kind yet'];
  return ['ok', 'Enabled'];
}

/** Where a definition comes from. */
export function originOf(definition: Pick<Definition, 'origin' | 'app' | 'app_version'>): string {
  if (definition.origin === 'builtin') return 'jobplane itself';
  if (definition.origin === 'db') return 'made by hand';
  if (definition.origin === 'manager') return 'JobManager';
  return [definition.app || 'code', definition.app_version].filter(Boolean).join(' ');
}

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
export const inWords = (n: number): string => NUMBERS[n] ?? count(n);

/** The answer of the list: what differs from the code, what is gone from it, and the commands that no worker may run. */
export function definitionsAnswer(definitions: Definition[], refused = 0): string {
  const differ = definitions.filter((d) => !d.deleted_from_code && driftOf(d).some((x) => !x.isSame)).length;
  const gone = definitions.filter((d) => d.deleted_from_code).length;
  if (!definitions.length) return 'There is no definition yet';
  if (!differ && !gone) return refused ? `${inWords(refused)} ${refused === 1 ? 'command' : 'commands'} may run on no live worker` : 'Every definition is as its code says';
  const one = `${inWords(differ)} ${differ === 1 ? 'definition differs' : 'definitions differ'} from the code`;
  if (!gone) return one;
  if (!differ) return `${inWords(gone)} ${gone === 1 ? 'definition is' : 'definitions are'} gone from the code`;
  return `${one}, ${inWords(gone).toLowerCase()} ${gone === 1 ? 'is' : 'are'} gone from it`;
}
