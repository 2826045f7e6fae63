import { expect, test } from 'vitest';
import { fieldIn, instantIn, isLate, latenessOf, lateFirst, moreOf, noteSaid, offSaid, offsetAt, outcomeOf, partsOf, schedulesAnswer, sentenceOf, soonest, titleOf, wall, whyOf } from './schedules';
import { DAY, HOUR } from './time';

const schedule = (more: object = {}) => ({ id: 'a', label: 'Nightly', is_enabled: true, late_seconds: null, last_outcome: 'fired', last_reason: null, disabled_reason: null, due_at: '2026-11-18T01:30:00Z', next_run_at: '2026-11-18T01:30:00Z', effective_timezone: 'Europe/Oslo', ...more }) as never;

test('a schedule is late after a minute, and only while it is on', () => {
  expect(isLate(schedule({ late_seconds: 61 }))).toBe(true);
  expect(isLate(schedule({ late_seconds: 59 }))).toBe(false);
  expect(isLate(schedule({ late_seconds: null }))).toBe(false);
  expect(isLate(schedule({ late_seconds: 3600, is_enabled: false }))).toBe(false);
});

test('late ones come first, the longest first, also those of other pages, and none twice', () => {
  const a = { id: 'a', is_enabled: true, late_seconds: null as number | null }, b = { id: 'b', is_enabled: true, late_seconds: 90 }, c = { id: 'c', is_enabled: true, late_seconds: 500 };
  expect(lateFirst([a, b], [c, b]).map((s) => s.id)).toEqual(['c', 'b', 'a']);
  expect(lateFirst([a], [{ ...a, late_seconds: 61 }]).map((s) => s.id)).toEqual(['a']);
});

test('the answer names what is wrong, the worst first', () => {
  const late = schedule({ late_seconds: 480, label: 'Daily statements' });
  const refused = schedule({ last_outcome: 'refused', last_reason: 'invalid_payload: the payload lacks "period"', label: 'Ledger' });
  const stopped = schedule({ is_enabled: false, disabled_reason: 'failures: the last 3 jobs have failed', label: 'Sync' });
  const paused = schedule({ is_enabled: false, disabled_reason: 'moving house' });
  expect(schedulesAnswer([late, refused, paused, schedule()], true)).toEqual({ title: 'One schedule is late: Daily statements', more: 'It should have fired at 02:30 (Europe/Oslo), 8 min ago. Its jobs start when a scheduler runs. One other is well. One is paused.' });
  expect(schedulesAnswer([refused, schedule()], true)).toEqual({ title: 'One schedule makes no jobs: Ledger', more: 'The payload lacks "period". One other is well.' });
  expect(schedulesAnswer([stopped], true).title).toBe('One schedule has stopped: Sync');
  expect(schedulesAnswer([late, late], false).title).toBe('Two schedules are late');
  expect(schedulesAnswer([schedule(), schedule()], true)).toEqual({ title: 'No schedule is late', more: '2 schedules are on.' });
  expect(schedulesAnswer([paused], true).title).toBe('No schedule is on');
});

test('why a schedule is off', () => {
  expect(offSaid('done')).toBe('Done: it has fired once, as planned');
  expect(offSaid('ended')).toBe('Ended: no planned time is left');
  expect(offSaid('failures: the last 3 jobs have failed')).toBe('Paused after failures: the last 3 jobs have failed');
  expect(offSaid('invalid_timetable: Unknown time zone "Mars/Base".')).toBe('Stopped: Unknown time zone "Mars/Base".');
  expect(offSaid(null)).toBe('Paused, without a reason');
  expect(offSaid('waiting for the template')).toBe('Paused: waiting for the template');
});

test('why a planned time made no job', () => {
  const fire = (more: object) => ({ outcome: 'fired', reason: null, missed: 0, kind: 'schedule', ...more }) as never;
  expect(whyOf(fire({}))).toBe('');
  expect(whyOf(fire({ outcome: 'skipped', reason: 'overlap' }))).toBe('The one before had not ended.');
  expect(whyOf(fire({ outcome: 'refused', reason: 'invalid_payload: the payload is wrong' }))).toBe('The payload is wrong');
  expect(whyOf(fire({ missed: 3 }))).toBe('3 earlier times were passed over.');
  expect(whyOf(fire({ kind: 'manual' }))).toBe('Fired by hand.');
  expect(sentenceOf('no code here: only words')).toBe('No code here: only words');
  expect(outcomeOf('missed')).toEqual(['missed', 'Missed']);
  expect(outcomeOf('new')).toEqual(['queued', 'new']);
});

test('a planned time is read as the server wrote it', () => {
  expect(partsOf({ local: '2026-10-25T02:30:00+02:00' })).toEqual({ day: 'Sun 25 Oct', time: '02:30', offset: 'UTC+02:00' });
  expect(partsOf({ local: '2026-10-25T02:30:05+00:00' })).toEqual({ day: 'Sun 25 Oct', time: '02:30:05', offset: 'UTC' });
  expect(partsOf({ local: 'odd' }).day).toBe('odd');
});

test('the days on which the clock changes say what happens', () => {
  const said = (at: string, local: string, note: string) => noteSaid({ at, local, note: note as never }, 'Europe/Oslo')?.says;
  expect(said('2027-03-28T01:00:00Z', '2027-03-28T03:00:00+02:00', 'moved')).toContain('03:00');
  expect(said('2026-10-25T00:30:00Z', '2026-10-25T02:30:00+02:00', 'repeated_hour')).toContain('first time');
  expect(said('2026-10-25T01:30:00Z', '2026-10-25T02:30:00+01:00', 'repeated_hour')).toContain('second time');
  expect(noteSaid({ at: '2026-10-24T01:30:00Z', local: '2026-10-24T03:30:00+02:00', note: null }, 'Europe/Oslo')).toBeUndefined();
});

test('a field for day and time is in the zone of the schedule', () => {
  expect(instantIn('2026-07-01T08:00', 'Europe/Oslo')).toBe('2026-07-01T06:00:00Z');
  expect(instantIn('2026-12-01T08:00', 'America/New_York')).toBe('2026-12-01T13:00:00Z');
  expect(instantIn('2026-10-25T02:30', 'Europe/Oslo')).toBe('2026-10-25T00:30:00Z'); // twice: the first
  expect(instantIn('2027-03-28T02:30', 'Europe/Oslo')).toBe('2027-03-28T01:30:00Z'); // never: after the gap
  expect(instantIn('', 'UTC')).toBeUndefined();
  expect(fieldIn('2026-07-01T06:00:00Z', 'Europe/Oslo')).toBe('2026-07-01T08:00');
  expect(fieldIn('2026-07-01T06:00:07Z', 'Europe/Oslo')).toBe('2026-07-01T08:00:07');
  expect(fieldIn(null, 'UTC')).toBe('');
  for (const zone of ['UTC', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns']) expect(instantIn(fieldIn('2026-05-05T10:00:00Z', zone), zone)).toBe('2026-05-05T10:00:00Z');
  expect(offsetAt(Date.parse('2026-07-01T00:00:00Z'), 'Europe/Oslo')).toBe(2 * HOUR);
});

test('a time names its day only where it is needed, and a zone that the browser does not know is UTC', () => {
  const at = Date.parse('2026-11-18T01:30:00Z');
  expect(wall(at, 'Europe/Oslo', at - HOUR)).toBe('02:30');
  expect(wall(at, 'Europe/Oslo', at - 3 * DAY)).toBe('Wed 18 Nov, 02:30');
  expect(wall(at, 'Europe/Oslo', at - 400 * DAY)).toBe('Wed 18 Nov 2026, 02:30');
  expect(wall(at, 'Mars/Base', at)).toBe('01:30');
});

test('the heading of a schedule says what is up with it', () => {
  const now = Date.parse('2026-11-17T23:30:00Z');
  const title = (more: object) => titleOf(schedule({ waiting_at: null, ...more }), now);
  expect(title({})).toBe('Nightly fires in 2 h');
  expect(title({ late_seconds: 480 })).toBe('Nightly is late by 8 min');
  expect(title({ last_outcome: 'refused' })).toBe('Nightly makes no jobs');
  expect(title({ waiting_at: '2026-11-17T23:00:00Z' })).toBe('Nightly waits until its last job ends');
  expect(title({ is_enabled: false, disabled_reason: 'done' })).toBe('Nightly is done');
  expect(title({ is_enabled: false, disabled_reason: 'ended' })).toBe('Nightly has ended');
  expect(title({ is_enabled: false, disabled_reason: 'failures: the last 2 jobs have failed' })).toBe('Nightly has stopped');
  expect(title({ is_enabled: false, disabled_reason: null })).toBe('Nightly is paused');
  expect(moreOf(schedule({ is_enabled: false, disabled_reason: 'a move.' }), now)).toBe('Paused: a move. What is planned meanwhile does not fire.');
  expect(moreOf(schedule({ last_outcome: 'refused', last_reason: 'invalid_payload: no name' }), now)).toContain('No name. The next one will be refused too');
  expect(moreOf(schedule(), now)).toBe('');
});

test('how late a planned time was acted on', () => {
  expect(latenessOf('2026-11-18T01:30:00Z', '2026-11-18T01:30:00.4Z')).toBe('on time');
  expect(latenessOf('2026-11-18T01:30:00Z', '2026-11-18T01:30:03Z')).toBe('3 s late');
});

test('the soonest comes first, and what has no time does not come', () => {
  expect(soonest([{ next_run_at: '2026-01-02T00:00:00Z' }, { next_run_at: null }, { next_run_at: '2026-01-01T00:00:00Z' }]).map((s) => s.next_run_at)).toEqual(['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']);
});
