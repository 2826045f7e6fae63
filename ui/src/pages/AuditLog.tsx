import { Button, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { auditQuery } from '../api/operator';
import { tenantsQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { Filters, FilterText, useFilters } from '../components/Filters';
import filters from '../components/Filters.module.css';
import { Loading } from '../components/Loading';
import { Pager } from '../components/Pager';
import { Panel } from '../components/Panel';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { ACTIONS, detailOf, type Entry, told, whoOf } from '../lib/audit';
import { useCaller } from '../lib/caller';
import { day, HOUR, millis, plural, useNow } from '../lib/time';
import type { AuditSearch } from '../router';
import classes from './AuditLog.module.css';

const THINGS = [...new Set(Object.values(ACTIONS).map(([, thing]) => thing))];
const GROUPS = THINGS.map((thing) => ({ group: thing[0]!.toUpperCase() + thing.slice(1), items: Object.entries(ACTIONS).filter(([, [, of]]) => of === thing).map(([value, [verb]]) => ({ value, label: thing === 'session' ? verb : `${verb} ${thing}` })) }));
const SYSTEM = '00000000-0000-7000-8000-000000000002'; // what is nobody's is the platform's

/** An instant as a field for day and time has it, in the viewer's zone. */
const local = (at: string | undefined): string => {
  const ms = millis(at);
  if (ms === undefined || Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function Time({ name, label, value }: { name: 'since' | 'until'; label: string; value: string | undefined }) {
  const set = useFilters();
  return <TextInput type="datetime-local" className={filters.time} aria-label={label} leftSection={<span className={filters.before}>{label}</span>} leftSectionWidth={46} value={local(value)} onChange={(e) => set({ [name]: e.currentTarget.value ? new Date(e.currentTarget.value).toISOString() : undefined })} />;
}

function Target({ entry }: { entry: Entry }) {
  const { thing, what, count } = told(entry);
  const { isOperator } = useCaller();
  const id = entry.targets[0] ?? '';
  if (thing === 'job' && count === 1) return <>job <Link to="/jobs/$id" params={{ id }} className="mono">{what}</Link></>;
  if (thing === 'definition' && count === 1 && isOperator) return <>definition <Link to="/definitions/$key" params={{ key: id }}>{what}</Link></>;
  if (count > 1) return <details className={classes.targets}><summary>{what}</summary><ul>{entry.targets.map((t) => <li key={t}>{thing === 'job' ? <Link to="/jobs/$id" params={{ id: t }} className="mono">{t}</Link> : <span className="mono">{t}</span>}</li>)}{count > entry.targets.length && <li>and {count - entry.targets.length} more</li>}</ul></details>;
  return <>{thing && what ? `${thing} ` : ''}{thing === 'key' || thing === 'tenant' ? <span className="mono">{what}</span> : what}</>;
}

function Row({ entry, tenants, isFirst }: { entry: Entry; tenants: Map<string, string> | null; isFirst: boolean }) {
  const who = whoOf(entry);
  const set = useFilters();
  const detail = detailOf(entry);
  const whose = entry.tenant_id === SYSTEM ? 'platform' : tenants?.get(entry.tenant_id) ?? entry.tenant_id.slice(-8);
  const isTenant = told(entry).thing === 'tenant' && told(entry).count === 1;
  return (
    <tr>
      <td className={classes.when}><When at={entry.at} show="clock" /> <span className={isFirst ? 'quiet' : 'sr'}>{day(millis(entry.at)!)}</span></td>
      <td className={classes.who}><button type="button" className={classes.name} onClick={() => set({ actor: who.id || undefined })} title={`See all that ${who.name} did`}>{who.name}</button></td>
      <td className={classes.did}><span className="soft">{told(entry).verb}</span> {isTenant && tenants?.get(entry.targets[0]!) ? `tenant ${tenants.get(entry.targets[0]!)}` : <Target entry={entry} />}<span className={`${table.sub} ${classes.onPhone}`}>{detail}</span></td>
      {tenants && <td className={`nowrap ${table.hidePhone}`}>{entry.tenant_id === SYSTEM ? <span className="soft">{whose}</span> : whose}</td>}
      <td className={`soft ${classes.detail} ${table.hidePhone}`}>{detail}{entry.before_digest && entry.after_digest && <span className={`${table.sub} mono`}>{entry.before_digest.slice(0, 8)} → {entry.after_digest.slice(0, 8)}</span>}</td>
      <td className={`nowrap ${table.hidePhone}`}>{who.kind}<span className={table.sub}>{entry.address ?? ''}</span></td>
    </tr>
  );
}

export function AuditLog() {
  const { tenant: _, ...search } = useSearch({ strict: false }) as AuditSearch;
  const { tenant, isOperator, may } = useCaller();
  const set = useFilters();
  const now = useNow();
  const [areAll, setAll] = useState(false);
  const { data, error, refetch } = useQuery(auditQuery(tenant, search));
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: isOperator });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading the audit log" />;
  const slugs = isOperator && !tenant ? new Map(tenants?.items.map((t) => [t.tenant_id, t.slug])) : null;
  const { cursor, ...chosen } = search;
  const isFiltered = Object.values(chosen).some(Boolean);
  const recent = data.items.filter((e) => now - millis(e.at)! < HOUR).length;
  const title = isFiltered || cursor ? 'Who changed what' : recent === data.items.length && data.next_cursor ? 'Many changes in the last hour' : recent ? `${plural(recent, 'change')} in the last hour` : data.items.length ? 'Nobody changed anything in the last hour' : 'Nobody has changed anything yet';
  const choices = search.action && !(search.action in ACTIONS) ? [{ group: 'Other', items: [{ value: search.action, label: search.action }] }, ...GROUPS] : GROUPS;
  return (
    <>
      <Answer title={title}>Append-only. It holds digests, never payloads.{may('verifyAudit') && <> <code>jobplane audit verify</code> computes its chain of digests again.</>}</Answer>
      <Panel flush>
        <Filters isOpen={areAll || isFiltered}>
          <Select className={filters.select} aria-label="Action" placeholder="Any action" clearable clearButtonProps={{ 'aria-label': 'Any action' }} searchable nothingFoundMessage="No such action" data={choices} value={search.action ?? null} onChange={(v) => set({ action: v ?? undefined })} />
          <FilterText name="target" label="To: the id or name of a thing" placeholder="To: id or name of a thing" value={search.target} isSearch />
          {!isFiltered && !areAll && <Button variant="subtle" className={filters.more} onClick={() => setAll(true)}>More filters</Button>}
          <FilterText name="actor" label="By: the id of a key or a login" placeholder="By: id of a key or a login" value={search.actor} />
          <Time name="since" label="From" value={search.since} />
          <Time name="until" label="Until" value={search.until} />
          {isFiltered && <Button variant="subtle" onClick={() => set({ action: undefined, actor: undefined, target: undefined, since: undefined, until: undefined })}>Clear</Button>}
        </Filters>
        {data.items.length ? (
          <TableScroll label="Audit log">
            <table className={table.table}>
              <thead><tr><th>When</th><th>Who</th><th>Did</th>{slugs && <th className={table.hidePhone}>Tenant</th>}<th className={table.hidePhone}>Detail</th><th className={table.hidePhone}>Through</th></tr></thead>
              <tbody>{data.items.map((e, i) => <Row key={e.audit_id} entry={e} tenants={slugs} isFirst={i === 0 || day(millis(data.items[i - 1]!.at)!) !== day(millis(e.at)!)} />)}</tbody>
            </table>
          </TableScroll>
        ) : <EmptyState title={isFiltered ? 'Nothing fits these filters' : 'Nothing is here yet'} says={isFiltered ? 'Take one of them away.' : 'What people and keys do to configuration and jobs is listed here.'} />}
      </Panel>
      <Pager cursor={cursor} next={data.next_cursor} what="the audit log" />
    </>
  );
}
