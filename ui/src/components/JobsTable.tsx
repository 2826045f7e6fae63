import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, memo, useRef } from 'react';
import type { Listed } from '../api/jobs';
import { argsOf, mayCancel, mayRetry, noteOf, shortId, stateOf } from '../lib/jobs';
import { useKeys } from '../lib/keys';
import { age, duration, millis, relative, useClocked } from '../lib/time';
import { AttemptTicks } from './AttemptTicks';
import { SourceMark } from './SourceMark';
import { StatusBadge } from './StatusBadge';
import { toneOf } from './StatusGlyph';
import { When } from './When';
import classes from './JobsTable.module.css';

export type Act = (action: 'retry' | 'cancel', jobs: Listed[]) => void;

interface Props {
  jobs: Listed[];
  selected: ReadonlyMap<string, Listed>;
  onPick: (job: Listed, isOn: boolean, isRange: boolean) => void;
  onAll: (isOn: boolean) => void;
  act: Act;
  showTenant: boolean;
  mayAct: boolean;
}

const QUIET = new Set(['succeeded', 'queued', 'scheduled', 'running']);

function Note({ job }: { job: Listed }) {
  const said = useClocked((now) => noteOf(job, now));
  const state = stateOf(job);
  const hasProgress = job.status === 'running' && job.progress !== null;
  return (
    <span className={classes.note} data-tone={QUIET.has(state) ? undefined : toneOf(state)}>
      {hasProgress && <span className={classes.bar} aria-hidden="true"><i style={{ width: `${job.progress! * 100}%` }} /></span>}
      {hasProgress && <span className={classes.percent}>{Math.round(job.progress! * 100)} %</span>}
      <span className={classes.clip}>{said || (job.status === 'succeeded' ? 'No result' : '')}</span>
    </span>
  );
}

function Took({ job, before = '' }: { job: Listed; before?: string }) {
  const took = useClocked((now) => (job.status === 'running' && job.started_at ? age(now - millis(job.started_at)!) : job.duration_ms === null ? '' : duration(job.duration_ms)));
  if (!took) return before ? null : <span className="quiet">–</span>;
  return <>{before}{took}</>;
}

/** On the phone, where no pointer hovers; a tooltip for each of fifty rows has its price. */
const Ago = ({ at }: { at: string }) => <>{useClocked((now) => relative(Math.min(millis(at)!, now), now))}</>;

interface RowProps extends Pick<Props, 'onPick' | 'act' | 'showTenant' | 'mayAct'> { job: Listed; isOn: boolean }

/** Two lines: what the job is, and what is up with it in words. */
const Row = memo(function Row({ job, isOn, onPick, act, showTenant, mayAct }: RowProps) {
  const action = mayRetry(job) ? 'retry' : mayCancel(job) ? 'cancel' : undefined;
  const name = `${job.definition_key} ${shortId(job.id)}`;
  return (
    <tr data-id={job.id} data-on={isOn || undefined}>
      {mayAct && <td className={classes.check}><Checkbox aria-label={`Select ${name}`} checked={isOn} onChange={(e) => onPick(job, e.currentTarget.checked, (e.nativeEvent as unknown as MouseEvent).shiftKey === true)} /></td>}
      <td className={classes.status}><StatusBadge state={stateOf(job)} /></td>
      <td className={classes.job}>
        <Link to="/jobs/$id" params={{ id: job.id }} className={classes.title}><b>{job.definition_key}</b><span className={classes.args}>{argsOf(job.payload)}</span></Link>
        <Note job={job} />
        <span className={classes.phoneMeta}>{showTenant && job.tenant && `${job.tenant} · `}<Ago at={job.created_at} /><Took job={job} before=" · " /></span>
      </td>
      {showTenant && <td className={`${classes.mid} ${classes.soft}`}>{job.tenant ?? '–'}</td>}
      <td className={`${classes.wide} ${classes.source}`}><SourceMark job={job} /></td>
      <td className={classes.mid}><AttemptTicks job={job} /></td>
      <td className={`num ${classes.soft}`}><When at={job.created_at} past /></td>
      <td className="num"><Took job={job} /></td>
      <td className={classes.last} data-acts={(mayAct && action) || undefined}>
        <span className={classes.id}>{shortId(job.id)}</span>
        {mayAct && action && <button type="button" className={classes.act} aria-label={`${action === 'retry' ? 'Retry' : 'Cancel'} ${name}`} onClick={() => act(action, [job])}>{action === 'retry' ? 'Retry' : 'Cancel'}</button>}
      </td>
    </tr>
  );
});

/** The keys of the list move the focus from row to row: what has the focus is what they act on. */
function useRowKeys({ jobs, selected, onPick, act, mayAct }: Props) {
  const table = useRef<HTMLTableElement>(null);
  const at = useRef<string>(undefined);
  const here = () => {
    const row = document.activeElement?.closest<HTMLElement>('tr[data-id]');
    return row && table.current?.contains(row) ? jobs.find((job) => job.id === row.dataset.id) : undefined;
  };
  const move = (by: number) => {
    const from = jobs.findIndex((job) => job.id === at.current);
    const to = jobs[from < 0 ? 0 : Math.max(0, Math.min(jobs.length - 1, from + by))];
    if (to) table.current?.querySelector<HTMLElement>(`tr[data-id="${to.id}"] a`)?.focus();
  };
  const on = (action: 'retry' | 'cancel') => {
    const job = here();
    const chosen = selected.size ? [...selected.values()] : job ? [job] : [];
    if (mayAct && chosen.length) act(action, chosen);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => { const job = here(); if (job && mayAct) onPick(job, !selected.has(job.id), false); },
    r: () => on('retry'),
    c: () => on('cancel'),
  });
  return { table, onFocus: (event: { target: EventTarget }) => { at.current = (event.target as HTMLElement).closest<HTMLElement>('tr[data-id]')?.dataset.id ?? at.current; } };
}

export function JobsTable(props: Props) {
  const { jobs, selected, onAll, onPick, act, showTenant, mayAct } = props;
  const { table, onFocus } = useRowKeys(props);
  const on = jobs.filter((job) => selected.has(job.id)).length;
  return (
    <table ref={table} className={classes.table} onFocus={onFocus}>
      <caption className="sr">Jobs, newest first</caption>
      <thead>
        <tr>
          {mayAct && <th className={classes.check}><Checkbox aria-label="Select all on this page" checked={on > 0 && on === jobs.length} indeterminate={on > 0 && on < jobs.length} onChange={(e) => onAll(e.currentTarget.checked)} /></th>}
          <th>Status</th><th>Job</th>{showTenant && <th className={classes.mid}>Tenant</th>}<th className={classes.wide}>Started by</th><th className={classes.mid}>Attempts</th><th className="num">Queued</th><th className="num">Took</th><th className={classes.last}>Id</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => <Row key={job.id} job={job} isOn={selected.has(job.id)} onPick={onPick} act={act} showTenant={showTenant} mayAct={mayAct} />)}
      </tbody>
    </table>
  );
}
