import { expect, test } from 'vitest';
import type { Attempt } from '../api/client';
import { layOut, place, tickSaid } from './timeline';

const at = (s: number) => new Date(1_800_000_000_000 + s * 1000).toISOString();
const ms = (s: number) => 1_800_000_000_000 + s * 1000;
const attempt = (no: number, due: number, start: number, stop: number | null, more: Partial<Attempt> = {}): Attempt => ({
  attempt_no: no, status: stop === null ? 'running' : 'failed', outcome: stop === null ? null : 'failed', worker_id: 'w', scheduled_for: at(due), started_at: at(start), finished_at: stop === null ? null : at(stop),
  exit_code: null, reason: null, error: null, progress: null, progress_message: null, led_to: stop === null ? null : 'queued', duration_ms: null, pid: null, signal: null, user_ms: null, system_ms: null, max_rss_bytes: null, stdout_bytes: null, stderr_bytes: null, bytes_dropped: null, undecodable: [], ...more,
});
const job = { status: 'running' as const, created_at: at(0), scheduled_for: at(0), attempts: 1 };

test('a failed attempt waits for the due time of the next one, which then waits for its claim', () => {
  const line = layOut(job, [attempt(2, 30, 32, null), attempt(1, 0, 1, 10)], ms(52));
  expect(line.rows.map(({ no, due, start, stop, next, isRunning }) => [no, due, start, stop, next, isRunning])).toEqual([
    [1, ms(0), ms(1), ms(10), ms(30), false],
    [2, ms(30), ms(32), ms(52), undefined, true],
  ]);
  expect(line.from).toBe(ms(0));
  expect(line.span).toBeCloseTo(52_000 * 1.02);
  expect(place(line, ms(26))).toBeCloseTo(50 / 1.02);
});

test('the last attempt of a waiting job lasts until the time of the job', () => {
  const line = layOut({ ...job, status: 'queued', scheduled_for: at(60) }, [attempt(1, 0, 1, 10)], ms(20));
  expect(line.rows[0]!.next).toBe(ms(60));
  expect(line.span).toBeCloseTo(60_000 * 1.02);
});

test('a job that waits for its time long before its first attempt begins when it is due', () => {
  expect(layOut(job, [attempt(1, 86_400, 86_401, null)], ms(86_410)).from).toBe(ms(86_400));
});

test('a released attempt is not counted, and a retry by a person begins to count again', () => {
  const line = layOut(job, [
    attempt(5, 900, 901, null), attempt(4, 20, 21, 22, { led_to: 'dead_letter' }), attempt(3, 10, 11, 12), attempt(2, 5, 6, 7), attempt(1, 0, 1, 2, { status: 'released' }),
  ], ms(910));
  expect(line.rows.map((r) => r.counted)).toEqual([undefined, 1, 2, 3, 1]);
  expect(line.rows[3]!.next).toBeUndefined();
});

test('with older attempts not loaded the count goes by the job, and is left out where nobody knows it', () => {
  const rest = [attempt(9, 40, 41, null), attempt(8, 30, 31, 32), attempt(7, 20, 21, 22, { status: 'released' }), attempt(6, 10, 11, 12)];
  expect(layOut({ ...job, attempts: 7 }, rest, ms(50)).rows.map((r) => r.counted)).toEqual([5, undefined, 6, 7]);
  const retried = [attempt(9, 40, 41, null), attempt(8, 30, 31, 32, { led_to: 'failed' }), attempt(7, 20, 21, 22)];
  expect(layOut({ ...job, attempts: 1 }, retried, ms(50)).rows.map((r) => r.counted)).toEqual([undefined, undefined, 1]);
});

test('the newest alone have a scale of their own, and keep their count', () => {
  const line = layOut(job, [attempt(3, 500, 501, null), attempt(2, 10, 11, 12), attempt(1, 0, 1, 2)], ms(510), 1);
  expect([line.from, line.rows.length, line.rows[0]!.counted]).toEqual([ms(500), 1, 3]);
});

test('ticks are round and few, from milliseconds to days', () => {
  for (const seconds of [0.04, 0.9, 7, 90, 3600, 90_000, 40 * 86_400]) {
    const { ticks, span } = layOut({ ...job, status: 'succeeded' }, [attempt(1, 0, 0, seconds, { led_to: 'succeeded' })], ms(99_999_999));
    expect(span).toBeCloseTo(seconds * 1020, 0);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(8);
  }
  expect([200, 5000, 120_000, 7_200_000].map(tickSaid)).toEqual(['+200 ms', '+5 s', '+2 min', '+2 h']);
});

test('a point outside stays at the edge', () => {
  expect([ms(-5), ms(500)].map((t) => place({ from: ms(0), span: 1000 }, t))).toEqual([0, 100]);
});
