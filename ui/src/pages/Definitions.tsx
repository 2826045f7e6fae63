import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Definition } from '../api/client';
import { useEnable } from '../api/definitions';
import { definitionPageQuery } from '../api/operator';
import { workersQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { Drift } from '../components/Drift';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { Filters, FilterText, useFilters } from '../components/Filters';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { Pager } from '../components/Pager';
import { Panel } from '../components/Panel';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { definitionsAnswer, driftOf, originOf, stateOf, valueOf } from '../lib/definitions';
import { standings } from '../lib/policy';
import { useRows } from '../lib/rows';
import type { Worker } from '../lib/workers';
import type { DefinitionsSearch } from '../router';
import classes from './Definitions.module.css';

const none = <span className="quiet">none</span>;

function limitOf(d: Definition) {
  const limits = [d.max_running === null ? '' : `${d.max_running} at once`, d.max_running_per_tenant === null ? '' : `${d.max_running_per_tenant} per tenant`].filter(Boolean);
  return limits.length ? limits.join(', ') : none;
}

/** Whether no live worker may run a command, as far as workers are known. */
const isRefused = (d: Definition, workers: Worker[] | undefined): boolean => d.kind === 'command' && d.active && workers !== undefined && standings(workers, d.key, d.queue)[0]?.state !== 'ready';

function Row({ definition: d, workers }: { definition: Definition; workers: Worker[] | undefined }) {
  const { may } = useCaller();
  const enable = useEnable();
  const drift = driftOf(d);
  const isOff = isRefused(d, workers);
  const [state, word] = isOff ? ['held', 'No worker may run it'] : stateOf(d);
  const isOn = d.active && !d.deleted_from_code;
  const differs = drift.length ? <Drift drift={drift} /> : <span className="quiet">{d.deleted_from_code ? '–' : d.origin === 'code' ? 'same' : originOf(d)}</span>;
  return (
    <tr data-tone={d.deleted_from_code || (!d.kind && d.active) || isOff ? 'warn' : undefined} data-off={!isOn || undefined}>
      <td className={classes.what}>
        <Link to="/definitions/$key" params={{ key: d.key }} className={table.name} data-row>{d.key}</Link><span className={table.sub}>{d.description}</span>
        <div className={classes.onPhone}>{d.kind === 'command' && <span className="quiet">command </span>}{state !== 'ok' && <StatusBadge state={state} word={word} />}{drift.length > 0 && <Drift drift={drift} />}</div>
      </td>
      <td className={table.hidePhone}>{d.kind ?? none}</td>
      <td className={table.hidePhone}><StatusBadge state={state} word={word} /></td>
      <td className={`${table.hidePhone} ${classes.drift}`}>{differs}</td>
      <td className={table.hidePhone}>{d.queue}</td>
      <td className={`num nowrap ${table.hidePhone}`}>{valueOf('timeout_seconds', d.timeout_seconds)}</td>
      <td className={`num ${table.hidePhone}`}>{d.max_attempts}</td>
      <td className={`nowrap ${table.hideNarrow}`}>{limitOf(d)}</td>
      <td className={`soft ${table.hideNarrow}`}>{d.origin === 'code' ? originOf(d) : ''}</td>
      <td className="num">{may(isOn ? 'disableDefinition' : 'enableDefinition') && <Switch className={classes.switch} aria-label={`${d.key} enabled`} checked={isOn} disabled={d.deleted_from_code} onChange={() => enable(d.key, !isOn)} />}</td>
    </tr>
  );
}

export function Definitions() {
  const { q, cursor, system = false } = useSearch({ strict: false }) as DefinitionsSearch;
  const set = useFilters();
  const { data, error, refetch } = useQuery(definitionPageQuery(system, cursor));
  const { may } = useCaller();
  const { data: workers } = useQuery({ ...workersQuery, enabled: may('listWorkers') });
  useRows();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking for definitions" />;
  const found = q ? data.items.filter((d) => `${d.key} ${d.kind ?? ''} ${d.description} ${d.queue} ${d.app} ${d.tags.join(' ')}`.toLowerCase().includes(q.toLowerCase())) : data.items;
  return (
    <>
      <Answer title={definitionsAnswer(data.items, data.items.filter((d) => isRefused(d, workers?.items)).length)} actions={may('createDefinition') && <LinkButton to="/commands/new">New command</LinkButton>}>Definitions follow the code at each deploy. What a person has set here stays, and is shown as code → here.</Answer>
      <Panel flush>
        <Filters>
          <FilterText name="q" label="Find a definition" placeholder="Key, kind, queue, app or tag" value={q} isSearch />
          <Switch label="Also jobplane's own" checked={system} onChange={(e) => set({ system: e.currentTarget.checked || undefined })} />
        </Filters>
        {found.length ? (
          <TableScroll label="Definitions">
            <table className={`${table.table} ${table.tall}`}>
              <thead><tr><th>Definition</th><th className={table.hidePhone}>Kind</th><th className={table.hidePhone}>State</th><th className={table.hidePhone}>Differs from the code</th><th className={table.hidePhone}>Queue</th><th className={`num ${table.hidePhone}`}>Timeout</th><th className={`num ${table.hidePhone}`}>Attempts</th><th className={table.hideNarrow}>Limit</th><th className={table.hideNarrow}>Code</th><th><span className="sr">Enabled</span></th></tr></thead>
              <tbody>{found.map((d) => <Row key={d.key} definition={d} workers={workers?.items} />)}</tbody>
            </table>
          </TableScroll>
        ) : <EmptyState title={q ? 'No definition fits' : 'There is no definition yet'} says={q ? 'Try a shorter word.' : <>Write a function with <code>@jp.job</code> and start a worker: it brings its definitions.</>} />}
      </Panel>
      <Pager cursor={cursor} next={data.next_cursor} what="definitions" />
    </>
  );
}
