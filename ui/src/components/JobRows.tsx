import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Listed } from '../api/jobs';
import { argsOf, noteOf, stateOf } from '../lib/jobs';
import { useNow } from '../lib/time';
import { StatusGlyph, toneOf, wordOf } from './StatusGlyph';
import classes from './JobRows.module.css';

/** A short list of jobs in a panel: what each is, what is up with it, and one figure. */
export function JobRows({ jobs, aside, showTenant }: { jobs: Listed[]; aside: (job: Listed) => ReactNode; showTenant: boolean }) {
  const now = useNow();
  return (
    <ul className={classes.rows}>
      {jobs.map((job) => {
        const state = stateOf(job);
        return (
          <li key={job.id}>
            <span className={`tone-${toneOf(state)} ${classes.glyph}`}><StatusGlyph state={state} /><span className="sr">{wordOf(state)}</span></span>
            <span className={classes.what}>
              <Link to="/jobs/$id" params={{ id: job.id }} className={classes.title}><b>{job.definition_key}</b><span className="mono">{argsOf(job.payload)}</span></Link>
              <span className={classes.note}>{showTenant && job.tenant && <>{job.tenant} · </>}{noteOf(job, now)}</span>
            </span>
            <span className={classes.aside}>{aside(job)}</span>
          </li>
        );
      })}
    </ul>
  );
}
