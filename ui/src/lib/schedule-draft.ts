/** A schedule while somebody writes it: the texts of the form, and what is sent of them. */
import type { Schedule, Timetable } from '../api/schedules';
import { ApiError } from '../api/client';
import { changed, type FormErrors, formErrors, numberIn } from './form-errors';
import { isMembers, isSame, type Json, type Members, write } from './json';
import { patchOf } from './merge';
import { fieldIn, instantIn } from './schedules';

export const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;
export type Mode = 'cron' | 'interval' | 'once';

/** Every field as it is typed. An empty text: the default. `starts` and `ends` are read in the zone of the schedule. */
export interface Draft {
  label: string; key: string; definition_key: string;
  mode: Mode; cron_expr: string; every: string; unit: Unit; timezone: string; starts: string; ends: string;
  payload: Json; overlap: string; missed: string; missed_limit: string;
  spread_seconds: string; pause_after_failures: string; max_attempts: string; priority: string; queue: string; is_enabled: boolean;
}

export const NEW: Draft = {
  label: '', key: '', definition_key: '', mode: 'cron', cron_expr: '0 2 * * *', every: '15', unit: 'minutes', timezone: '', starts: '', ends: '',
  payload: new Map(), overlap: 'allow', missed: 'latest', missed_limit: '10', spread_seconds: '0', pause_after_failures: '', max_attempts: '', priority: '', queue: '', is_enabled: true,
};

/** The largest unit that divides the seconds. */
export function everyOf(seconds: number): { every: string; unit: Unit } {
  const unit = (['days', 'hours', 'minutes'] as const).find((name) => seconds % UNITS[name] === 0) ?? 'seconds';
  return { every: String(seconds / UNITS[unit]), unit };
}

const text = (value: number | string | null): string => (value === null ? '' : String(value));

export function draftOf(s: Schedule, payload: Json): Draft {
  const zone = s.effective_timezone;
  return {
    label: s.label, key: s.key ?? '', definition_key: s.definition_key,
    mode: s.once ? 'once' : s.interval_seconds !== null ? 'interval' : 'cron', cron_expr: s.cron_expr ?? NEW.cron_expr,
    ...(s.interval_seconds === null ? { every: NEW.every, unit: NEW.unit } : everyOf(s.interval_seconds)),
    timezone: s.timezone ?? '', starts: fieldIn(s.starts_at, zone), ends: fieldIn(s.ends_at, zone), payload,
    overlap: s.overlap, missed: s.missed, missed_limit: text(s.missed_limit), spread_seconds: text(s.spread_seconds),
    pause_after_failures: text(s.pause_after_failures), max_attempts: text(s.max_attempts), priority: text(s.priority), queue: s.queue ?? '', is_enabled: s.is_enabled,
  };
}

/** What is no whole number goes to the server as it is, which says so. */
const secondsOf = ({ every, unit }: Pick<Draft, 'every' | 'unit'>): number | null => {
  const n = numberIn(every);
  return typeof n === 'number' ? n * UNITS[unit] : n;
};

/** The times of a draft, for the preview; `zone` is the one that counts. Undefined: there is nothing to ask yet. */
export function timetableOf(d: Draft, zone: string): Timetable | undefined {
  const window = { timezone: d.timezone || undefined, starts_at: instantIn(d.starts, zone), ends_at: d.mode === 'once' ? undefined : instantIn(d.ends, zone) };
  if (d.mode === 'cron') return d.cron_expr.trim() ? { cron_expr: d.cron_expr.trim(), ...window } : undefined;
  if (d.mode === 'once') return { once: true, ...window };
  const seconds = secondsOf(d);
  return seconds === null ? undefined : { interval_seconds: seconds, ...window };
}

type Body = Record<string, unknown>;

/** All that the form says, apart from the payload. */
function bodyOf(d: Draft, zone: string): Body {
  const n = numberIn;
  return {
    label: d.label.trim(), key: d.key.trim() || null, definition_key: d.definition_key,
    cron_expr: d.mode === 'cron' ? d.cron_expr.trim() : null, interval_seconds: d.mode === 'interval' ? secondsOf(d) : null, once: d.mode === 'once',
    timezone: d.timezone || null, starts_at: instantIn(d.starts, zone) ?? null, ends_at: d.mode === 'once' ? null : instantIn(d.ends, zone) ?? null,
    overlap: d.overlap, missed: d.missed, missed_limit: n(d.missed_limit) ?? 10, spread_seconds: n(d.spread_seconds) ?? 0,
    pause_after_failures: n(d.pause_after_failures), max_attempts: n(d.max_attempts), priority: n(d.priority), queue: d.queue.trim() || null,
  };
}

const withPayload = (body: Body, payload: Members): string => {
  const rest = JSON.stringify(body);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"payload_template":${write(payload)}}`;
};
const members = (payload: Json): Members => (isMembers(payload) ? payload : new Map());

/** The text of a request that makes the schedule: the numbers of the payload keep their digits. */
export function newText(d: Draft, zone: string): string {
  const given = Object.fromEntries(Object.entries(bodyOf(d, zone)).filter(([name, value]) => value !== null && !(name === 'once' && value === false)));
  return withPayload({ ...given, is_enabled: d.is_enabled }, members(d.payload));
}

/** The text of a request that changes one, or undefined where nothing is changed. Each draft is read in its own zone. */
export function changeText(before: Draft, after: Draft, zones: { before: string; after: string }): string | undefined {
  const changes = changed(bodyOf(before, zones.before), bodyOf(after, zones.after));
  if (!isSame(before.payload, after.payload)) return withPayload(changes, patchOf(members(before.payload), members(after.payload)));
  return Object.keys(changes).length ? JSON.stringify(changes) : undefined;
}

export const FIELDS: ReadonlySet<string> = new Set(['label', 'key', 'definition_key', 'cron_expr', 'interval_seconds', 'timezone', 'starts_at', 'ends_at', 'payload_template', 'missed_limit', 'spread_seconds', 'pause_after_failures', 'max_attempts', 'priority', 'queue']);
const CODES = { unknown_definition: 'definition_key', unknown_queue: 'queue', already_exists: 'key' };
/** Their pointers lead into the payload, where a name may be that of a field of the form. */
const OF_PAYLOAD = new Set(['invalid_template', 'template_refused', 'invalid_payload']);

/** What the server refuses, at its field. */
export function draftErrors(error: unknown): FormErrors {
  if (error instanceof ApiError && OF_PAYLOAD.has(error.code)) return { top: '', fields: { payload_template: error.message } };
  if (error instanceof ApiError && error.problem.errors) {
    const errors = error.problem.errors.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^query /, '') }));
    return formErrors(new ApiError(error.status, { ...error.problem, errors }), FIELDS, CODES);
  }
  return formErrors(error, FIELDS, CODES);
}

/** What a payload template may use. */
export const NAMES: [name: string, says: string][] = [
  ['schedule.planned_at', 'the planned time, in UTC'], ['schedule.local_time', 'the planned time, in the zone'], ['schedule.local_date', 'its date there, as 2026-01-31'], ['schedule.timezone', 'the zone'],
  ['schedule.late_seconds', 'how late it fires, a number'], ['schedule.previous_at', 'the planned time before, or null'], ['trigger.id', 'the schedule'], ['trigger.key', 'its key, or null'], ['trigger.label', 'its label'],
  ['tenant.id', 'the tenant'], ['tenant.slug', 'its slug'], ['tenant.name', 'its name'], ['tenant.timezone', 'its zone'],
];
export const PRESETS: [string, string][] = [['Every 15 min', '*/15 * * * *'], ['Hourly', '0 * * * *'], ['Nightly', '0 2 * * *'], ['Weekdays', '0 8 * * mon-fri'], ['Monthly', '0 6 1 * *']];
