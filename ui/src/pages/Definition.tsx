import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type Definition, unwrap } from '../api/client';
import { useEnable } from '../api/definitions';
import { definitionQuery } from '../api/operator';
import { workersQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { CommandTemplate } from '../components/CommandTemplate';
import { CommandWorkers } from '../components/CommandWorkers';
import { Confirm } from '../components/Confirm';
import { DefinitionForm } from '../components/DefinitionForm';
import { ErrorState } from '../components/ErrorState';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { Panel } from '../components/Panel';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { commandOf } from '../lib/command-template';
import { driftOf, FIELDS, inCode, originOf, stateOf, valueOf } from '../lib/definitions';
import { argumentsOf } from '../lib/arguments';
import { type Standing, standings } from '../lib/policy';
import { plural } from '../lib/time';
import classes from './Definition.module.css';

const SHOWN = Object.keys(FIELDS).filter((f) => f !== 'system' && f !== 'active');

/** How live workers stand to a command; undefined for other kinds, and while it is not known. */
function useStandings(d: Definition | undefined): Standing[] | undefined {
  const { may } = useCaller();
  const { data: workers } = useQuery({ ...workersQuery, enabled: may('listWorkers') });
  return d?.kind === 'command' && workers ? standings(workers.items, d.key, d.queue) : undefined;
}
const ready = (found: Standing[]): Standing[] => found.filter((s) => s.state === 'ready');

function titleOf(d: Definition, found: Standing[] | undefined): string {
  const differs = driftOf(d).filter((x) => !x.isSame);
  if (d.deleted_at) return `${d.key} is deleted`;
  if (d.deleted_from_code) return `${d.key} is gone from the code`;
  if (!d.active) return `${d.key} is disabled`;
  if (!d.kind) return `${d.key} has no kind yet`;
  if (found) return ready(found).length ? `${d.key} may run on ${ready(found).length === 1 ? 'one worker' : plural(ready(found).length, 'worker')}` : `No live worker may run ${d.key}`;
  if (d.origin !== 'code') return `${d.key} is enabled`;
  if (!differs.length) return `${d.key} is as its code says`;
  return `${d.key} differs from its code in ${differs.length > 3 ? plural(differs.length, 'setting') : differs.map((x) => x.name).join(', ')}`;
}

function saysOf(d: Definition, found: Standing[] | undefined): string {
  if (d.deleted_at) return 'It takes no jobs. Its jobs keep their record. Making or syncing the same key brings it back.';
  if (d.deleted_from_code) return `${originOf(d)} no longer has it: new jobs are refused, and those that wait do not start. It comes back when the code has it again; else delete it.`;
  if (!d.active) return 'New jobs are refused, and those that wait do not start. What runs goes on.';
  if (!d.kind) return 'Its jobs wait until a worker brings a handler with this key.';
  const waits = found && !ready(found).length ? ' Its jobs wait until the policy of a live worker allows it.' : '';
  return `${d.description ? d.description.replace(/\.?$/, '.') : 'It has no description.'}${waits}`;
}

/** Each setting, what the code says of it, and what a person has set here. */
function Settings({ definition: d }: { definition: Definition }) {
  const isCode = d.code !== null && d.origin === 'code';
  return (
    <TableScroll label="Settings">
      <table className={`${table.table} ${classes.dense}`}>
        <thead><tr><th>Setting</th><th>Here</th>{isCode && <th>In the code</th>}</tr></thead>
        <tbody>
          {SHOWN.map((field) => {
            const isSet = d.overridden.includes(field);
            const value = d[field as keyof Definition];
            const here = valueOf(field, value);
            return (
              <tr key={field} data-tone={isSet ? 'warn' : undefined}>
                <td className="soft">{FIELDS[field]}</td>
                <td className={classes.value}>{isSet ? <b>{here}</b> : value === null || here === 'none' ? <span className="quiet">{here}</span> : here}</td>
                {isCode && <td className={classes.value}>{isSet ? <>{valueOf(field, inCode(d, field))} <span className="quiet">set here by a person</span></> : <span className="quiet">same</span>}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableScroll>
  );
}

function Arguments({ schema }: { schema: unknown }) {
  const found = argumentsOf(schema);
  const raw = <details className={classes.raw} open={!found}><summary>JSON Schema</summary><pre tabIndex={0} aria-label="JSON Schema">{JSON.stringify(schema, null, 2)}</pre></details>;
  return (
    <>
      {found && (found.list.length ? (
        <TableScroll label="Arguments">
          <table className={table.table}>
            <thead><tr><th>Argument</th><th>Type</th><th>Notes</th></tr></thead>
            <tbody>{found.list.map((a) => <tr key={a.name}><td><code>{a.name}</code>{!a.isRequired && <span className="quiet"> optional</span>}</td><td className={classes.value}>{a.type}</td><td className={`soft ${classes.value}`}>{a.says}</td></tr>)}</tbody>
          </table>
        </TableScroll>
      ) : <p className={classes.none}>{found.isOpen ? 'It takes any arguments.' : 'It takes no arguments.'}</p>)}
      {raw}
    </>
  );
}

function Facts({ definition: d, found }: { definition: Definition; found: Standing[] | undefined }) {
  const { may } = useCaller();
  const { data: workers } = useQuery({ ...workersQuery, enabled: may('listWorkers') });
  const knows = found ? ready(found) : (workers?.items ?? []).filter((w) => !w.stale && (w.definitions === null || w.definitions.includes(d.key)));
  const facts: [string, ReactNode][] = [
    ['Kind', d.kind ?? 'none yet'], ['From', originOf(d)], ['Workers', knows.length ? <Link to="/workers">{plural(knows.length, 'worker')}</Link> : <span className="tone-warn">{found ? 'none alive may run it' : 'none alive knows it'}</span>],
    ['Isolation', d.isolation], ['Lost contact', d.on_lost_contact], ['Revision', d.revision], ['Made', <When at={d.created_at} />], ['Changed', <When at={d.updated_at} />], ['Id', <code className={classes.id}>{d.id}</code>],
  ];
  return <dl className={classes.facts}>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function Actions({ definition: d, open }: { definition: Definition; open: (what: 'edit' | 'delete') => void }) {
  const { may } = useCaller();
  const enable = useEnable();
  if (d.deleted_at) return null;
  return (
    <>
      {may('deleteDefinition') && d.origin !== 'builtin' && <Button variant="danger" onClick={() => open('delete')}>Delete…</Button>}
      {!d.deleted_from_code && (d.active ? may('disableDefinition') && <Button onClick={() => enable(d.key, false)}>Disable</Button> : may('enableDefinition') && <Button variant="filled" onClick={() => enable(d.key, true)}>Enable</Button>)}
      {may('changeDefinition') && d.kind === 'command' && <LinkButton to="/definitions/$key/command" params={{ key: d.key }}>Change command</LinkButton>}
      {may('changeDefinition') && <Button onClick={() => open('edit')}>{d.kind === 'command' ? 'Settings…' : 'Change…'}</Button>}
      {may('enqueueJob') && d.active && !d.deleted_from_code && !d.system && <LinkButton variant="filled" to="/run" search={{ definition: d.key }}>Run it</LinkButton>}
    </>
  );
}

export function DefinitionPage() {
  const { key } = useParams({ strict: false }) as { key: string };
  const navigate = useNavigate();
  const { data: d, error, refetch } = useQuery(definitionQuery(key));
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const found = useStandings(d);
  if (error && (!d || d.key !== key)) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!d) return <Loading what="Looking for the definition" />;
  const [state, word] = stateOf(d);
  const command = commandOf(d.command);
  const close = () => setOpen(null);
  return (
    <>
      <Answer eyebrow={<><Link to="/definitions">Definitions</Link><StatusBadge state={state} word={word} /><Link to="/jobs" search={{ definition: d.key }}>See its jobs</Link></>} title={titleOf(d, found)} actions={<Actions definition={d} open={setOpen} />}>{saysOf(d, found)}</Answer>
      <div className={classes.columns}>
        <div className={classes.main}>
          {d.undecodable.includes('command') && <Panel title="Command"><p className="tone-warn">The stored command cannot be read. Write it again.</p></Panel>}
          {command && <Panel title="Command" note="without a shell; each argument is passed as it is" flush><CommandTemplate command={command} schema={d.arg_schema} /></Panel>}
          {found && <Panel title="Workers that may run it" note={`live, queue ${d.queue}`} flush><CommandWorkers found={found} name={d.key} queue={d.queue} /></Panel>}
          {command && <Panel title="What a job passes" flush><Arguments schema={d.arg_schema} /></Panel>}
          <Panel title="Settings" note={d.overridden.length ? `${plural(d.overridden.filter((f) => f in FIELDS).length, 'setting')} set here` : undefined} flush><Settings definition={d} /></Panel>
          {d.overridden.length > 0 && <p className={classes.foot}>A deploy leaves alone what is set here. <code>jobplane definitions sync --force</code> gives it all back to the code.</p>}
          {!command && <Panel title="Arguments" flush><Arguments schema={d.arg_schema} /></Panel>}
        </div>
        <Panel title="Facts"><Facts definition={d} found={found} /></Panel>
      </div>
      {open === 'edit' && <DefinitionForm definition={d} onClose={close} />}
      {open === 'delete' && <Confirm title={`Delete ${d.key}`} name={d.key} submit="Delete definition" onClose={close} says="It takes no more jobs, and those that wait do not start. Its jobs keep their record. If the code still has it, the next deploy brings it back."
        run={async () => { await unwrap(api.DELETE('/api/v1/admin/jobs/definitions/{key}', { params: { path: { key: d.key } } })); void navigate({ to: '/definitions' }); return `${d.key} is deleted.`; }} />}
    </>
  );
}
