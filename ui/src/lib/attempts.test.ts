import '../testing/document';
import { expect, it } from 'vitest';
import { ticksOf, ticksSaid } from './attempts';

const job = (status: string, attempts: number, error: string | null = null) => ({ status: status as 'queued', attempts, max_attempts: 3, error });

it('draws what a row knows of its attempts', () => {
  expect(ticksOf(job('queued', 0))).toEqual(['left', 'left', 'left']);
  expect(ticksOf(job('queued', 1, 'e'))).toEqual(['failed', 'left', 'left']);
  expect(ticksOf(job('running', 2))).toEqual(['failed', 'running', 'left']);
  expect(ticksOf(job('succeeded', 2))).toEqual(['failed', 'succeeded', 'left']);
  expect(ticksOf(job('dead_letter', 3, 'e'))).toEqual(['failed', 'failed', 'failed']);
  expect(ticksOf(job('canceled', 1))).toEqual(['canceled', 'left', 'left']);
  expect(ticksOf(job('canceled', 1, 'e'))).toEqual(['failed', 'left', 'left']);
});

it('says them', () => {
  expect(ticksSaid(job('queued', 0))).toBe('0 of 3 attempts');
  expect(ticksSaid(job('running', 2))).toBe('2 of 3 attempts: 1 failed, one runs');
  expect(ticksSaid(job('succeeded', 1))).toBe('1 of 3 attempts: one succeeded');
});
