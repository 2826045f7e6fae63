import { Button } from '@mantine/core';
import type { Listed } from '../api/jobs';
import { leftOut } from '../lib/job-words';
import { mayCancel, mayRetry } from '../lib/jobs';
import { MOST } from '../lib/selection';
import { count, plural } from '../lib/time';
import type { Act } from './JobsTable';
import classes from './BulkBar.module.css';

/** What can be done to the selected jobs, and what each action leaves out. */
export function BulkBar({ jobs, elsewhere, rest, onRest, onClear, act }: { jobs: Listed[]; elsewhere: number; rest: number; onRest: () => void; onClear: () => void; act: Act }) {
  const [retry, cancel] = [jobs.filter(mayRetry).length, jobs.filter(mayCancel).length];
  const isFull = jobs.length >= MOST;
  return (
    <div className={classes.bar} role="region" aria-label="Selected jobs">
      <div className={classes.words}>
        <span><b>{plural(jobs.length, 'job')}</b> selected{elsewhere > 0 && `, ${count(elsewhere)} on other pages`}{isFull && '. More than that do not fit into one call'}</span>
        {rest > 0 && !isFull && <button type="button" className={classes.link} onClick={onRest}>Select all on this page</button>}
        {leftOut(jobs).map((said) => <span key={said} className={classes.left}>{said}</span>)}
      </div>
      <div className={classes.actions}>
        {retry > 0 && <Button variant="filled" onClick={() => act('retry', jobs)}>Retry {count(retry)}</Button>}
        {cancel > 0 && <Button onClick={() => act('cancel', jobs)}>Cancel {count(cancel)}</Button>}
        <Button variant="subtle" onClick={onClear}>Clear selection</Button>
      </div>
    </div>
  );
}
