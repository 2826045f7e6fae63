import { useState } from 'react';
import type { Attempt, Job } from '../api/client';
import { errorLine } from '../lib/jobs';
import { capital } from '../lib/gates';
import { endNote } from '../lib/process';
import { reasonSaid } from '../lib/sentence';
import { absolute, clock, clockSeconds, day, duration, useNow } from '../lib/time';
import { layOut, place, type Stretch, tickSaid, type Timeline } from '../lib/timeline';
import { StatusBadge } from './StatusBadge';
import { toneOf, wordOf } from './StatusGlyph';
import classes from './AttemptTimeline.module.css';

const MOST = 12;
const FOLDED = 8;

const saysOf = ({ attempt: a }: Stretch): string => (a.error ? errorLine(a.error) : a.reason ? capital(reasonSaid(a.reason)) : '');
const unreadable = (a: Attempt): string => (a.undecodable.length ? `Cannot be read: ${a.undecodable.join(', ')}` : '');

function Track({ line, row }: { line: Timeline; row: Stretch }) {
  const between = (from: number, to: number) => ({ left: `${place(line, from)}%`, right: `${100 - place(line, to)}%` });
  return (
    <span className={classes.track} aria-hidden="true">
      {line.ticks.map((t) => <i key={t} className={classes.grid} style={{ left: `${place(line, t)}%` }} />)}
      <i className={classes.wait} style={between(row.due, row.start)} />
      <i className={classes.run} data-tone={toneOf(row.attempt.status)} data-live={row.isRunning || undefined} style={between(row.start, row.stop)} />
      {row.next !== undefined && <i className={classes.backoff} style={between(row.stop, row.next)} />}
    </span>
  );
}

function Row({ line, row, max, isOn, onSelect }: { line: Timeline; row: Stretch; max: number; isOn: boolean; onSelect: () => void }) {
  const a = row.attempt;
  const says = saysOf(row);
  const counted = a.status === 'released' ? 'not counted' : row.counted === undefined ? '' : `counts as ${row.counted} of ${max}`;
  const said = [says || (row.isRunning ? `since ${clockSeconds(row.start)}` : ''), a.error ? '' : endNote(a), unreadable(a)].filter(Boolean).join(' · ');
  const isLong = isOn && Boolean(a.error?.trim().includes('\n'));
  return (
    <li className={classes.row} data-on={isOn || undefined}>
      <button type="button" className={classes.pick} aria-pressed={isOn} onClick={onSelect}>
        <span className={classes.what}><span className={classes.no}><span className="sr">Attempt </span>{row.no}</span><StatusBadge state={a.status} /></span>
        <Track line={line} row={row} />
        <span className={classes.facts}><span className={classes.worker} title={a.worker_id}>{a.worker_id}</span><span className={classes.took}>{duration(row.stop - row.start)}</span></span>
        <span className={classes.error} data-tone={toneOf(a.status)}>
          {said}<span className="quiet">{said && counted ? ` · ${counted}` : capital(counted)}</span>
        </span>
      </button>
      {isLong && <pre className={classes.whole} tabIndex={0} aria-label={`The whole error of attempt ${row.no}`}>{a.error}</pre>}
    </li>
  );
}

/** The same for those who do not see the bars. */
function Twin({ line }: { line: Timeline }) {
  return (
    <div className="sr">
      <table>
        <caption>Attempts</caption>
        <thead><tr><th scope="col">Attempt</th><th scope="col">Outcome</th><th scope="col">Due</th><th scope="col">Started</th><th scope="col">Ended</th><th scope="col">Took</th><th scope="col">Worker</th><th scope="col">Next attempt due</th><th scope="col">Why</th></tr></thead>
        <tbody>
          {line.rows.map((row) => (
            <tr key={row.no}>
              <th scope="row">{row.no}</th><td>{wordOf(row.attempt.status)}</td><td>{absolute(row.due)}</td><td>{absolute(row.start)}</td><td>{row.isRunning ? 'runs' : absolute(row.stop)}</td>
              <td>{duration(row.stop - row.start)}</td><td>{row.attempt.worker_id}</td><td>{row.next === undefined ? '' : absolute(row.next)}</td><td>{saysOf(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** All attempts on one true scale of time: waiting hatched, running solid, backoff dotted. */
export function AttemptTimeline({ job, attempts, selected, onSelect, older }: { job: Job; attempts: Attempt[]; selected: number; onSelect: (no: number) => void; older?: () => void }) {
  const now = useNow();
  const [isWhole, setWhole] = useState(false);
  const isFolded = !isWhole && attempts.length > MOST;
  const line = layOut(job, attempts, now, isFolded ? FOLDED : undefined);
  const first = Math.floor(line.from / 86_400_000) === Math.floor(now / 86_400_000) ? clock(line.from) : `${day(line.from)} ${clock(line.from)}`;
  return (
    <div className={classes.timeline}>
      <div className={classes.head} aria-hidden="true"><span /><div className={classes.scale}>{line.ticks.filter((t) => (t - line.from) / line.span < 0.9).map((t, i) => <span key={t} data-late={place(line, t) > 70 || undefined} style={{ left: `${place(line, t)}%` }}>{i ? tickSaid(t - line.from) : first}</span>)}</div><span /></div>
      {(isFolded || older) && (
        <button type="button" className={classes.fold} onClick={() => (isFolded ? setWhole(true) : older?.())}>{isFolded ? `Show ${attempts.length - FOLDED} earlier attempts` : 'Load earlier attempts'}</button>
      )}
      <ol>{line.rows.map((row) => <Row key={row.no} line={line} row={row} max={job.max_attempts} isOn={selected === row.no} onSelect={() => onSelect(row.no)} />)}</ol>
      <Twin line={line} />
    </div>
  );
}
