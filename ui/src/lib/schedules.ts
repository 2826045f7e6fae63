/** Schedules in words: which one is late or refused, when it fires next, and why it is off. */
import type { Fire, PlannedTime, Schedule } from '../api/schedules';
import { cut } from './sentence';
import { age, clock, clockSeconds, DAY, day, HOUR, millis, plural, relative, SECOND } from './time';

/** A schedule that has been due for longer is late: the scheduler looks more often than that. */
export const LATE_SECONDS = 60;

type Told = Pick<Schedule, 'id' | 'label' | 'is_enabled' | 'late_seconds' | 'last_outcome' | 'last_reason' | 'disabled_reason' | 'due_at' | 'next_run_at' | 'effective_timezone'>;

export const isLate = (s: Pick<Schedule, 'is_enabled' | 'late_seconds'>): boolean => s.is_enabled && (s.late_seconds ?? 0) > LATE_SECONDS;
export const isRefused = (s: Pick<Schedule, 'is_enabled' | 'last_outcome'>): boolean => s.is_enabled && s.last_outcome === 'refused';

/** The late ones first, the longest first; the others keep the order of the server. */
export function lateFirst<S extends Pick<Schedule, 'id' | 'is_enabled' | 'late_seconds'>>(page: S[], late: S[]): S[] {
  const known = new Map([...late, ...page].map((s) => [s.id, s]));
  const first = [...known.values()].filter(isLate).sort((a, b) => (b.late_seconds ?? 0) - (a.late_seconds ?? 0));
  const ids = new Set(first.map((s) => s.id));
  return [...first, ...page.filter((s) => !ids.has(s.id))];
}

/** Those that have a next time, the soonest first. */
export const soonest = <S extends Pick<Schedule, 'next_run_at'>>(list: S[]): S[] => list.filter((s) => s.next_run_at !== null).sort((a, b) => millis(a.next_run_at)! - millis(b.next_run_at)!);

/** The zone if this browser knows it: the server may know newer ones. */
export function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}

/** A time as one reads it in its zone: the day only where it is not within the next or the last 20 hours. */
export function wall(at: number, zone: string, now: number): string {
  const there = knownZone(zone);
  const time = at % (60 * SECOND) ? clockSeconds(at, there) : clock(at, there);
  if (Math.abs(at - now) < 20 * HOUR) return time;
  const year = new Date(at).getUTCFullYear();
  return `${day(at, there)}${Math.abs(at - now) > 300 * DAY ? ` ${year}` : ''}, ${time}`;
}

/** The glyph and the word of what became of a planned time. */
const OUTCOMES: Record<string, [glyph: string, word: string]> = { fired: ['ok', 'Fired'], skipped: ['skipped', 'Skipped'], missed: ['missed', 'Missed'], refused: ['refused', 'Refused'], waiting: ['queued', 'Waits'] };
export const outcomeOf = (outcome: string): [glyph: string, word: string] => OUTCOMES[outcome] ?? ['queued', outcome];

/** `invalid_payload: The payload …` is a code and a sentence; people want the sentence. */
export const sentenceOf = (reason: string): string => {
  const said = reason.replace(/^[a-z]+(_[a-z]+)+: /, '');
  return said ? said.replace(/^./, (c) => c.toUpperCase()) : reason;
};

/** Why a planned time made no job, or came with others. */
export function whyOf(fire: Pick<Fire, 'outcome' | 'reason' | 'missed' | 'kind'>): string {
  const said = fire.outcome === 'skipped' ? 'The one before had not ended.'
    : fire.outcome === 'waiting' ? 'It waits until the one before ends.'
    : fire.outcome === 'missed' ? 'Nobody acted on it in time.'
    : fire.reason ? sentenceOf(fire.reason) : '';
  const passed = fire.missed ? `${plural(fire.missed, 'earlier time')} ${fire.missed === 1 ? 'was' : 'were'} passed over.` : '';
  const how = fire.kind === 'manual' ? 'Fired by hand.' : fire.kind === 'backfill' ? 'Made by a backfill.' : '';
  return [how, said, passed].filter(Boolean).join(' ');
}

/** Why a schedule is off. */
export function offSaid(reason: string | null): string {
  if (!reason) return 'Paused, without a reason';
  if (reason === 'done') return 'Done: it has fired once, as planned';
  if (reason === 'ended') return 'Ended: no planned time is left';
  const failures = /^failures: (.*)$/s.exec(reason);
  if (failures) return `Paused after failures: ${failures[1]}`;
  if (/^invalid_timetable: /.test(reason)) return `Stopped: ${sentenceOf(reason)}`;
  return `Paused: ${reason}`;
}

/** Whether it stopped because it has nothing more to do, which is well. */
export const isOver = (s: Pick<Schedule, 'is_enabled' | 'disabled_reason'>): boolean => !s.is_enabled && (s.disabled_reason === 'done' || s.disabled_reason === 'ended');
/** Whether it was stopped because it went wrong. */
export const isStopped = (s: Pick<Schedule, 'is_enabled' | 'disabled_reason'>): boolean => !s.is_enabled && /^(failures|invalid_timetable): /.test(s.disabled_reason ?? '');

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
const many = (list: Told[], one: string, several: string): string => (list.length === 1 ? `One schedule ${one}: ${cut(list[0]!.label, 80)}` : `${NUMBERS[list.length] ?? list.length} schedules ${several}`);

/** The answer of the list. `isAll`: these are all that there are. */
export function schedulesAnswer(list: Told[], isAll: boolean): { title: string; more: string } {
  const late = list.filter(isLate), refused = list.filter((s) => isRefused(s) && !isLate(s)), broken = list.filter(isStopped);
  const paused = list.filter((s) => !s.is_enabled && !isOver(s) && !isStopped(s)), on = list.filter((s) => s.is_enabled);
  const title = late.length ? many(late, 'is late', 'are late')
    : refused.length ? many(refused, 'makes no jobs', 'make no jobs')
    : broken.length ? many(broken, 'has stopped', 'have stopped')
    : on.length ? 'No schedule is late' : 'No schedule is on';
  const parts: string[] = [];
  if (late.length === 1) parts.push(`${dueSaid(late[0]!)} Its jobs start when a scheduler runs.`);
  else if (late.length) parts.push('Their jobs start when a scheduler runs.');
  else if (refused.length === 1) parts.push(cut(sentenceOf(refused[0]!.last_reason ?? 'Its last planned time was refused.'), 240).replace(/[.…]?$/, (end) => end || '.'));
  else if (refused.length) parts.push('Their last planned times were refused. Each row says why.');
  else if (broken.length === 1) parts.push(`${offSaid(broken[0]!.disabled_reason).replace(/\.?$/, '.')}`);
  const wrong = late.length + refused.length;
  const well = on.length - wrong;
  if (isAll && wrong && well > 0) parts.push(`${well === 1 ? 'One other is' : `${well} others are`} well.`);
  if (isAll && !wrong && on.length) parts.push(`${plural(on.length, 'schedule')} ${on.length === 1 ? 'is' : 'are'} on.`);
  if (paused.length) parts.push(`${paused.length === 1 ? 'One is' : `${paused.length} are`} paused.`);
  return { title, more: parts.join(' ') };
}

function dueSaid(s: Told): string {
  const due = millis(s.next_run_at);
  return due === undefined ? '' : `It should have fired at ${wall(due, s.effective_timezone, due + (s.late_seconds ?? 0) * SECOND)} (${s.effective_timezone}), ${age((s.late_seconds ?? 0) * SECOND)} ago.`;
}

/** A planned time as the server wrote it: its parts, without asking the browser's own zones. */
export function partsOf(planned: Pick<PlannedTime, 'local'>): { day: string; time: string; offset: string } {
  const [, date = '', hm = '', s = '', zone = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):?(\d\d)?(?:\.\d+)?(Z|[+-]\d\d:?\d\d(?::\d\d)?)?$/.exec(planned.local) ?? [];
  const at = Date.parse(`${date}T00:00:00Z`);
  return { day: Number.isNaN(at) ? planned.local : day(at, 'UTC'), time: s && s !== '00' ? `${hm}:${s}` : hm, offset: zone === 'Z' || zone === '' || zone === '+00:00' ? 'UTC' : `UTC${zone}` };
}

/** The offset of a zone from UTC at an instant, in milliseconds. */
export function offsetAt(at: number, zone: string): number {
  const found = Object.fromEntries(new Intl.DateTimeFormat('en-GB', { timeZone: knownZone(zone), hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' }).formatToParts(at).map((p) => [p.type, Number(p.value)])) as Record<string, number>;
  return Date.UTC(found.year!, found.month! - 1, found.day!, found.hour!, found.minute!, found.second!) - Math.floor(at / SECOND) * SECOND;
}

/** What the clocks do on the day of a planned time. */
export function noteSaid(planned: PlannedTime, zone: string): { turn: 'back' | 'forward' | 'change'; title: string; says: string } | undefined {
  const { time } = partsOf(planned);
  const at = millis(planned.at)!;
  switch (planned.note) {
    case 'moved': return { turn: 'forward', title: 'The clock goes forward.', says: `The written time does not exist on this day; it fires at ${time}, right after the gap.` };
    case 'skipped_hour': return { turn: 'forward', title: 'The clock goes forward.', says: 'The times in the skipped hour do not exist, and do not fire.' };
    case 'repeated_hour': return { turn: 'back', title: 'The clock goes back.', says: `It shows ${time} twice; this is the ${offsetAt(at - 3 * HOUR, zone) > offsetAt(at, zone) ? 'second' : 'first'} time.` };
    case 'offset_change': return { turn: 'change', title: 'The clock changes on this day.', says: 'This time of day is not affected.' };
    default: return undefined;
  }
}

/** A day and time of a field, read in a zone, as an instant. A time that the clock skips becomes the one after the gap. */
export function instantIn(text: string, zone: string): string | undefined {
  const wanted = Date.parse(`${text.length === 16 ? `${text}:00` : text}Z`);
  if (Number.isNaN(wanted)) return undefined;
  // Two looks: the offset before and after a clock change differ. Of two instants the earlier one is meant.
  const found = [offsetAt(wanted - DAY, zone), offsetAt(wanted + DAY, zone)].map((offset) => wanted - offset);
  const fits = found.filter((at) => at + offsetAt(at, zone) === wanted);
  return new Date(fits.length ? Math.min(...fits) : Math.max(...found)).toISOString().replace('.000Z', 'Z');
}

/** An instant as a field for day and time has it, in a zone. */
export function fieldIn(at: string | null | undefined, zone: string): string {
  const ms = millis(at);
  if (ms === undefined || Number.isNaN(ms)) return '';
  const text = new Date(ms + offsetAt(ms, zone)).toISOString();
  return text.slice(17, 19) === '00' ? text.slice(0, 16) : text.slice(0, 19);
}

/** The heading of a schedule's page: what is up with it. */
export function titleOf(s: Pick<Schedule, 'label' | 'is_enabled' | 'disabled_reason' | 'late_seconds' | 'last_outcome' | 'waiting_at' | 'next_run_at'>, now: number): string {
  const name = cut(s.label, 90);
  const next = millis(s.next_run_at);
  if (!s.is_enabled) return s.disabled_reason === 'done' ? `${name} is done` : s.disabled_reason === 'ended' ? `${name} has ended` : isStopped(s) ? `${name} has stopped` : `${name} is paused`;
  if (isLate(s)) return `${name} is late by ${age((s.late_seconds ?? 0) * SECOND)}`;
  if (isRefused(s)) return `${name} makes no jobs`;
  if (s.waiting_at) return `${name} waits until its last job ends`;
  return next === undefined ? `${name} has no planned time` : next <= now + SECOND ? `${name} fires now` : `${name} fires ${relative(next, now)}`;
}

/** One more sentence, on what the heading leaves open. */
export function moreOf(s: Pick<Schedule, 'is_enabled' | 'disabled_reason' | 'late_seconds' | 'last_outcome' | 'last_reason' | 'effective_timezone' | 'next_run_at'>, now: number): string {
  const next = millis(s.next_run_at);
  if (!s.is_enabled) return `${offSaid(s.disabled_reason).replace(/[.]?$/, '.')}${isOver(s) ? '' : ' What is planned meanwhile does not fire.'}`;
  if (isLate(s)) return `It was planned for ${next === undefined ? 'a time that has passed' : `${wall(next, s.effective_timezone, now)} (${s.effective_timezone})`}. No scheduler has acted on it yet: check that one runs.`;
  if (isRefused(s)) return `Its last planned time was refused. ${cut(sentenceOf(s.last_reason ?? ''), 300).replace(/[.…]?$/, (end) => end || '.')} The next one will be refused too, until that is changed.`;
  return '';
}

/** How late a planned time was acted on. A fire by hand is planned for the moment of the fire. */
export function latenessOf(planned: string, acted: string): string {
  const ms = (millis(acted) ?? 0) - (millis(planned) ?? 0);
  return ms >= SECOND ? `${age(ms)} late` : 'on time';
}
