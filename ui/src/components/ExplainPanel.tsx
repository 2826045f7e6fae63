import { IconCheck, IconClock, IconLock } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Job } from '../api/client';
import { type Explanation, type Gate, jobQuery } from '../api/job';
import { workersQuery } from '../api/queries';
import { useCaller } from '../lib/caller';
import { capital, kindIn, openName, placeSaid, shutGates, tellShut } from '../lib/gates';
import { argsOf, shortId } from '../lib/jobs';
import { standings } from '../lib/policy';
import { age, clock, count, day, millis, plural, relative, useNow } from '../lib/time';
import { CommandWorkers } from './CommandWorkers';
import classes from './ExplainPanel.module.css';

/** Who is in the way, each with what it does now. */
function Holders({ ids, others }: { ids: string[]; others: number }) {
  const { tenant } = useCaller();
  const now = useNow();
  const found = useQueries({ queries: ids.map((id) => jobQuery(tenant, id)) });
  return (
    <table className={classes.holders}>
      <caption className="sr">Jobs that hold the slots</caption>
      <thead><tr><th scope="col">Holds a slot</th><th scope="col" className={classes.phoneHide}>What</th><th scope="col" className={classes.phoneHide}>On</th><th scope="col" className="num">Runs for</th><th scope="col">Progress</th></tr></thead>
      <tbody>
        {ids.map((id, i) => {
          const job = found[i]?.data;
          const part = job?.progress ?? undefined;
          return (
            <tr key={id}>
              <td><Link to="/jobs/$id" params={{ id }} className="mono" aria-label={`Job ${shortId(id)}, which holds a slot`}>{shortId(id)}</Link></td>
              <td className={`mono ${classes.phoneHide} ${classes.clip}`}>{argsOf(job?.payload, 80)}</td>
              <td className={classes.phoneHide}>{job?.worker_id}</td>
              <td className="num nowrap">{job ? (job.status === 'running' ? age(now - (millis(job.started_at) ?? now)) : 'has ended') : ''}</td>
              <td className={classes.part}>{part === undefined ? <span className="quiet">not told</span> : <><i aria-hidden="true"><b style={{ width: `${part * 100}%` }} /></i><span className="sr">{Math.round(part * 100)} %</span></>}</td>
            </tr>
          );
        })}
        {others > 0 && <tr><td colSpan={5} className="quiet">and {plural(others, 'job')} of other tenants</td></tr>}
      </tbody>
    </table>
  );
}

/** Why no worker runs a command: what each says, and what to do. A tenant sees no workers. */
function CommandEvidence({ job }: { job: Job }) {
  const { may } = useCaller();
  const { data } = useQuery({ ...workersQuery, enabled: may('listWorkers') });
  if (!may('listWorkers')) return <p className={classes.options}>An operator has to allow the command on the machine of a worker, with <code>jobplane policy write {job.definition_key}</code>.</p>;
  if (!data) return null;
  return (
    <>
      <div className={classes.evidence}><CommandWorkers found={standings(data.items, job.definition_key, job.queue)} name={job.definition_key} queue={job.queue} /></div>
      <p className={classes.options}><Link to="/definitions/$key" params={{ key: job.definition_key }}>See the command</Link></p>
    </>
  );
}

/** What one can do about a shut gate, as far as the caller may. */
function Way({ gate, job }: { gate: Gate; job: Job }) {
  const { may } = useCaller();
  switch (gate.name) {
    case 'queue_paused': return may('resumeQueue') ? <><Link to="/queues">Resume the queue</Link> to let its jobs start.</> : <>An operator can resume the queue.</>;
    case 'tenant_paused': return may('resumeTenant') ? <><Link to="/tenants">Resume the tenant</Link> to let its jobs start.</> : <>An operator can resume the tenant.</>;
    case 'tenant_limit': return <>To start it sooner: {may('changeTenant') ? <><Link to="/tenants">raise the limit</Link>, or cancel one of these.</> : 'cancel one of these, or ask an operator for a higher limit.'}</>;
    case 'definition_limit':
    case 'definition_tenant_limit': return <>To start it sooner: {may('changeDefinition') ? <><Link to="/definitions/$key" params={{ key: job.definition_key }}>raise the limit</Link>, or cancel one of these.</> : 'cancel one of these, or ask an operator for a higher limit.'}</>;
    case 'queue_not_served':
    case 'no_worker': return may('listWorkers') ? <Link to="/workers">See workers</Link> : null;
    case 'definition_inactive':
    case 'unbound': return may('changeDefinition') ? <Link to="/definitions/$key" params={{ key: job.definition_key }}>See the definition</Link> : null;
    default: return null;
  }
}

function Shut({ gate, job, whose, isCommand }: { gate: Gate; job: Job; whose: string | undefined; isCommand: boolean }) {
  const now = useNow();
  const { heading, more, holders, others } = tellShut(gate, { ...job, kind: isCommand ? 'command' : undefined }, now, whose);
  const isOfPolicy = gate.name === 'policy_mismatch' || (isCommand && gate.name === 'no_worker');
  const due = gate.name === 'not_due' ? millis(job.scheduled_for) : undefined;
  return (
    <div className={classes.shut} data-wide={due === undefined || undefined}>
      <span className={classes.lock} data-calm={due !== undefined || undefined}>{due === undefined ? <IconLock size={17} stroke={1.8} aria-hidden="true" /> : <IconClock size={17} stroke={1.8} aria-hidden="true" />}</span>
      <div>
        <p className={classes.says}><b>{heading}.</b> {more}</p>
        {(holders.length > 0 || others > 0) && <Holders ids={holders} others={others} />}
        {isOfPolicy ? <CommandEvidence job={job} /> : <p className={classes.options}><Way gate={gate} job={job} /></p>}
      </div>
      {due !== undefined && (
        <div className={classes.when}>
          <span className={classes.label}>Due</span>
          <span className={classes.time}>{clock(due)}</span>
          <span className={classes.label}>{relative(due, now)}{Math.abs(due - now) > 20 * 3_600_000 && `, ${day(due)}`}</span>
        </div>
      )}
    </div>
  );
}

/** All gates are open: its place in line. */
function InLine({ explanation, job }: { explanation: Explanation; job: Job }) {
  const now = useNow();
  const due = Math.max(millis(job.scheduled_for) ?? now, millis(job.created_at) ?? 0);
  const said = placeSaid(explanation.jobs_before, explanation.lane_tenants, now - due);
  return (
    <div className={classes.shut} data-wide={explanation.jobs_before === null || undefined}>
      <span className={classes.lock} data-calm><IconCheck size={17} stroke={1.8} aria-hidden="true" /></span>
      <div><p className={classes.says}><b>{said ? 'It may start now.' : 'Nothing keeps it any more.'}</b> {said || 'It is made ready within seconds.'}</p></div>
      {explanation.jobs_before !== null && (
        <div className={classes.when}>
          <span className={classes.label}>Before it</span>
          <span className={classes.time}>{count(explanation.jobs_before)}{explanation.jobs_before >= 10_000 && '+'}</span>
          <span className={classes.label}>{explanation.jobs_before === 1 ? 'job' : 'jobs'} of this tenant</span>
        </div>
      )}
    </div>
  );
}

/** Why is it not running? The shut gates with their evidence and who is in the way, then the open ones, folded. */
export function ExplainPanel({ job, explanation, whose }: { job: Job; explanation: Explanation; whose: string | undefined }) {
  const [isWhole, setWhole] = useState(false);
  const shut = shutGates(explanation.gates);
  const open = explanation.gates.filter((g) => g.is_open);
  const isHeld = shut.some((g) => g.name !== 'not_due');
  return (
    <section className={classes.explain} data-held={isHeld || undefined} aria-label="Why it waits">
      {shut.map((gate) => <Shut key={gate.name} gate={gate} job={job} whose={whose} isCommand={kindIn(explanation.gates) === 'command'} />)}
      {!shut.length && <InLine explanation={explanation} job={job} />}
      {open.length > 0 && (
        <button type="button" className={classes.toggle} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          <IconCheck size={14} stroke={2} aria-hidden="true" />{shut.length ? `The other ${plural(open.length, 'gate')} ${open.length === 1 ? 'is' : 'are'} open` : `All ${plural(open.length, 'gate')} are open`}<span className={classes.names}>{isWhole ? '' : open.map(openName).join(', ')}</span>
        </button>
      )}
      {isWhole && <ul className={classes.gates}>{open.map((gate) => <li key={gate.name}><IconCheck size={14} stroke={2} aria-hidden="true" /><b>{capital(openName(gate))}</b><span>{gate.detail}</span></li>)}</ul>}
    </section>
  );
}
