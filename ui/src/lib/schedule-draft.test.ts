import '../testing/document';
import { expect, test } from 'vitest';
import { ApiError } from '../api/client';
import { parse, write } from './json';
import { isUnsayable, patchOf } from './merge';
import { changeText, draftErrors, draftOf, everyOf, NEW, newText, timetableOf } from './schedule-draft';

type Members = Parameters<typeof patchOf>[0];
const json = (text: string) => parse(text) as Members;
const stored = (more: object = {}) => ({
  id: 'a', key: null, label: 'Nightly', definition_key: 'greet', cron_expr: '0 2 * * *', interval_seconds: null, once: false, timezone: null, effective_timezone: 'Europe/Oslo', starts_at: null, ends_at: null,
  overlap: 'allow', missed: 'latest', missed_limit: 10, spread_seconds: 0, pause_after_failures: null, max_attempts: null, priority: null, queue: null, is_enabled: true, ...more,
}) as never;
const OSLO = { before: 'Europe/Oslo', after: 'Europe/Oslo' };

test('an interval is shown in the largest unit that fits', () => {
  expect(everyOf(900)).toEqual({ every: '15', unit: 'minutes' });
  expect(everyOf(86_400)).toEqual({ every: '1', unit: 'days' });
  expect(everyOf(61)).toEqual({ every: '61', unit: 'seconds' });
});

test('the times of a draft go to the preview, and what is empty is not asked', () => {
  expect(timetableOf({ ...NEW, cron_expr: ' 30 2 * * * ', timezone: 'Europe/Oslo' }, 'Europe/Oslo')).toEqual({ cron_expr: '30 2 * * *', timezone: 'Europe/Oslo', starts_at: undefined, ends_at: undefined });
  expect(timetableOf({ ...NEW, cron_expr: ' ' }, 'UTC')).toBeUndefined();
  expect(timetableOf({ ...NEW, mode: 'interval', every: '15', unit: 'minutes' }, 'UTC')?.interval_seconds).toBe(900);
  expect(timetableOf({ ...NEW, mode: 'interval', every: '' }, 'UTC')).toBeUndefined();
  expect(timetableOf({ ...NEW, mode: 'interval', every: 'often' }, 'UTC')?.interval_seconds).toBe('often'); // the server says what is wrong
  expect(timetableOf({ ...NEW, mode: 'once', starts: '2026-07-01T08:00', ends: '2026-07-02T08:00' }, 'Europe/Oslo')).toEqual({ once: true, timezone: undefined, starts_at: '2026-07-01T06:00:00Z', ends_at: undefined });
});

test('a new schedule sends what is given, and the payload with every digit', () => {
  const body = newText({ ...NEW, label: ' Nightly ', definition_key: 'greet', payload: json('{"big": 12345678901234567890, "at": "{{ schedule.local_date }}"}') }, 'UTC');
  expect(body).toContain('12345678901234567890');
  expect(JSON.parse(body)).toMatchObject({ label: 'Nightly', definition_key: 'greet', cron_expr: '0 2 * * *', is_enabled: true, overlap: 'allow' });
  for (const name of ['key', 'once', 'interval_seconds', 'timezone', 'starts_at', 'queue', 'priority']) expect(JSON.parse(body)).not.toHaveProperty(name);
});

test('a change sends what differs alone', () => {
  const first = draftOf(stored(), json('{"a": 1}'));
  expect(changeText(first, first, OSLO)).toBeUndefined();
  expect(JSON.parse(changeText(first, { ...first, label: 'Other', priority: '5' }, OSLO)!)).toEqual({ label: 'Other', priority: 5 });
  expect(JSON.parse(changeText(first, { ...first, mode: 'interval', every: '2', unit: 'hours' }, OSLO)!)).toEqual({ cron_expr: null, interval_seconds: 7200 });
  expect(JSON.parse(changeText(first, { ...first, payload: json('{"b": 2}') }, OSLO)!)).toEqual({ payload_template: { a: null, b: 2 } });
  expect(JSON.parse(changeText(first, { ...first, label: 'x', payload: json('{}') }, OSLO)!)).toEqual({ label: 'x', payload_template: { a: null } });
});

test('a start keeps its local time when the zone changes', () => {
  const first = draftOf(stored({ starts_at: '2026-07-01T06:00:00.123Z' }), new Map());
  expect(first.starts).toBe('2026-07-01T08:00');
  expect(changeText(first, { ...first }, OSLO)).toBeUndefined();
  expect(JSON.parse(changeText(first, { ...first, timezone: 'UTC' }, { ...OSLO, after: 'UTC' })!)).toEqual({ timezone: 'UTC', starts_at: '2026-07-01T08:00:00Z' });
});

test('a merge patch makes one payload of another', () => {
  expect(write(patchOf(json('{"a": {"x": 1, "y": 2}, "b": 1, "c": [1]}'), json('{"a": {"x": 1, "z": 3}, "c": [1]}')))).toBe(write(json('{"a": {"z": 3, "y": null}, "b": null}')));
  expect(isUnsayable(json('{}'), json('{"a": null}'))).toBe(true);
  expect(isUnsayable(json('{"a": null}'), json('{"a": null}'))).toBe(false);
  expect(isUnsayable(json('{}'), json('{"a": [null]}'))).toBe(false);
});

test('a refusal stands at its field, one of the payload at the payload', () => {
  const at = (code: string, pointer: string, status = 422) => draftErrors(new ApiError(status, { code, detail: 'No.', errors: [{ pointer, code, detail: 'No.' }] })).fields;
  expect(at('invalid_timetable', 'cron_expr')).toEqual({ cron_expr: 'No.' });
  expect(at('invalid_request', 'query interval_seconds')).toEqual({ interval_seconds: 'No.' });
  expect(at('invalid_request', '/priority')).toEqual({ priority: 'No.' });
  expect(at('invalid_template', '/label')).toEqual({ payload_template: 'No.' });
  expect(draftErrors(new ApiError(409, { code: 'already_exists', detail: 'Twice.' })).fields).toEqual({ key: 'Twice.' });
  expect(draftErrors(new ApiError(422, { code: 'unknown_queue', detail: 'None.' })).fields).toEqual({ queue: 'None.' });
});
