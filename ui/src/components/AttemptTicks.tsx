import type { Job } from '../api/client';
import { ticksOf, ticksSaid } from '../lib/attempts';
import { count } from '../lib/time';
import classes from './AttemptTicks.module.css';

const MOST = 12;

/** One tick for each attempt, hollow for what the budget still allows. Too many are a figure. */
export function AttemptTicks({ job }: { job: Pick<Job, 'status' | 'attempts' | 'max_attempts' | 'error'> }) {
  const ticks = ticksOf(job);
  const said = ticksSaid(job);
  return (
    <span className={classes.ticks} title={said}>
      <span className="sr">{said}</span>
      {ticks.length > MOST ? <span aria-hidden="true">{count(job.attempts)} of {count(job.max_attempts)}</span> : ticks.map((tick, i) => <i key={i} data-tick={tick} />)}
    </span>
  );
}
