import type { Job } from '../api/client';
import { plural } from './time';

export type Tick = 'failed' | 'running' | 'succeeded' | 'canceled' | 'left';
type Spent = Pick<Job, 'status' | 'attempts' | 'max_attempts' | 'error'>;

/** The attempts of a job as far as its row tells: all but the last have failed, the last is as the job is. */
export function ticksOf({ status, attempts, max_attempts: max, error }: Spent): Tick[] {
  const isOver = status === 'queued' || status === 'failed' || status === 'dead_letter' || (status === 'canceled' && Boolean(error));
  const last: Tick[] = attempts === 0 ? [] : [isOver ? 'failed' : (status as Tick)];
  return [...Array<Tick>(Math.max(0, attempts - 1)).fill('failed'), ...last, ...Array<Tick>(Math.max(0, max - attempts)).fill('left')];
}

export function ticksSaid(job: Spent): string {
  const failed = ticksOf(job).filter((t) => t === 'failed').length;
  const said = [failed && `${failed} failed`, job.attempts > failed && `one ${job.status === 'running' ? 'runs' : job.status}`].filter(Boolean).join(', ');
  return `${job.attempts} of ${plural(job.max_attempts, 'attempt')}${said ? `: ${said}` : ''}`;
}
