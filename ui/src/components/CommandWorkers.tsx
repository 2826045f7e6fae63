import { Link } from '@tanstack/react-router';
import { nextStep, type Standing } from '../lib/policy';
import { CodeInText } from './CodeInText';
import { CopyBlock } from './Copy';
import { StatusBadge } from './StatusBadge';
import { TableScroll } from './TableScroll';
import table from './DataTable.module.css';
import classes from './CommandWorkers.module.css';

/** The shape of a state: what only lacks a policy is no fault of the command. */
export const shapeOf = (state: string): string => (state === 'ready' ? 'ok' : state === 'no_policy' || state === 'unnamed' || state === 'elsewhere' ? 'skipped' : 'refused');

/** What to do next, where no worker runs the command. */
export function NextStep({ found, name, queue }: { found: Standing[]; name: string; queue: string }) {
  const step = nextStep(found, name, queue);
  if (!step) return null;
  return (
    <div className={classes.step}>
      <p>{step.says}</p>
      {step.lines.length > 0 && <CopyBlock text={step.lines.join('\n')} what="the commands for the machine of the worker" sunken wraps />}
    </div>
  );
}

/** How each live worker stands to a command. */
export function CommandWorkers({ found, name, queue }: { found: Standing[]; name: string; queue: string }) {
  return (
    <>
      {found.length > 0 && (
        <TableScroll label="Workers">
          <table className={`${table.table} ${classes.workers}`}>
            <thead><tr><th>Worker</th><th>State</th><th className={table.hidePhone}>Why</th></tr></thead>
            <tbody>
              {found.map((s) => (
                <tr key={s.worker} data-off={shapeOf(s.state) === 'skipped' || undefined}>
                  <td className={classes.name}><Link to="/workers" className={table.name}>{s.worker}</Link><span className={classes.onPhone}><CodeInText text={s.says} /></span></td>
                  <td><StatusBadge state={shapeOf(s.state)} word={s.word} /></td>
                  <td className={`${table.hidePhone} ${classes.says}`}>{s.says ? <CodeInText text={s.says} /> : (s.state === 'ready' ? <span className="quiet">Its policy names the command as it is.</span> : '')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
      <NextStep found={found} name={name} queue={queue} />
    </>
  );
}
