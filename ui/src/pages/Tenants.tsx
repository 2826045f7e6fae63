import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, unwrap } from '../api/client';
import { tenantPageQuery, tenantQuery, useAct } from '../api/operator';
import { Answer } from '../components/Answer';
import { above, Below, rowActions } from '../components/Below';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { Filters, FilterText } from '../components/Filters';
import { FormDialog, half, type Values } from '../components/FormDialog';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { Pager } from '../components/Pager';
import { Panel } from '../components/Panel';
import { Paused } from '../components/Paused';
import { PauseForm } from '../components/PauseForm';
import { TableScroll } from '../components/TableScroll';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { changed, numberIn } from '../lib/form-errors';
import { useRows } from '../lib/rows';
import { capped, isAtLimit, isFull, nameOf, pendingOf, type Tenant, tenantsAnswer, tenantsSum, waitingOf } from '../lib/tenants';
import { age, count } from '../lib/time';
import type { ListSearch } from '../router';
import classes from './Tenants.module.css';

const FEW = 12; // below it one sees all at a glance
const ZONES = Intl.supportedValuesOf('timeZone');

const bodyOf = (v: Values) => ({ slug: v.slug!.trim(), name: v.name!.trim(), timezone: v.timezone!.trim(), weight: numberIn(v.weight)!, max_in_flight: numberIn(v.max_in_flight), max_pending: numberIn(v.max_pending) });

function TenantForm({ tenant, onClose }: { tenant?: Tenant; onClose: () => void }) {
  const [opened] = useState(tenant); // what the form began with: the page goes on changing behind it
  const send = async (values: Values) => {
    const body = bodyOf(values);
    if (!opened) {
      await unwrap(api.POST('/api/v1/tenants', { body }));
      return `Tenant ${body.slug} is there.`;
    }
    const changes = changed<typeof body>({ slug: opened.slug, name: opened.name, timezone: opened.timezone, weight: opened.weight, max_in_flight: opened.max_in_flight, max_pending: opened.max_pending }, body);
    if (!Object.keys(changes).length) return 'Nothing was changed.';
    await unwrap(api.PATCH('/api/v1/tenants/{tenant}', { params: { path: { tenant: opened.tenant_id } }, body: changes }));
    return `Tenant ${body.slug} is changed.`;
  };
  return (
    <FormDialog title={opened ? `Change ${nameOf(opened)}` : 'New tenant'} says={opened ? undefined : 'A tenant owns jobs, keys and an audit log. No other tenant sees them.'} submit={opened ? 'Save' : 'Make tenant'} codes={{ already_exists: 'slug' }} onClose={onClose} run={send}>
      {(errors) => (
        <>
          <TextInput className={half} name="name" label="Name" defaultValue={opened?.name} error={errors.name} autoComplete="off" autoFocus />
          <TextInput className={half} name="slug" label="Slug" description={opened ? 'Programs that name the old one are refused.' : 'a-z, 0-9 and dashes.'} defaultValue={opened?.slug} error={errors.slug} autoComplete="off" spellCheck={false} required={!opened} />
          <TextInput className={half} name="timezone" label="Time zone" description="Where its schedules live." defaultValue={opened?.timezone ?? 'UTC'} error={errors.timezone} list="zones" autoComplete="off" />
          <TextInput className={half} name="weight" label="Weight" description="Its share of the workers, 1 to 1000." defaultValue={opened?.weight ?? 1} error={errors.weight} inputMode="numeric" autoComplete="off" />
          <TextInput className={half} name="max_in_flight" label="Running at once" description="Empty: no limit." defaultValue={opened?.max_in_flight ?? ''} error={errors.max_in_flight} inputMode="numeric" autoComplete="off" />
          <TextInput className={half} name="max_pending" label="Waiting and running" description="Beyond it an enqueue is refused. Empty: no limit." defaultValue={opened?.max_pending ?? ''} error={errors.max_pending} inputMode="numeric" autoComplete="off" />
          <datalist id="zones">{ZONES.map((z) => <option key={z} value={z} />)}</datalist>
        </>
      )}
    </FormDialog>
  );
}

const orZero = (n: number, tone = '') => (n ? <span className={tone}>{capped(n)}</span> : <span className="quiet">0</span>);

function Row({ tenant: t, open }: { tenant: Tenant; open: (what: 'edit' | 'pause', tenant: Tenant) => void }) {
  const { may, tenant: acting } = useCaller();
  const act = useAct();
  const at = { params: { path: { tenant: t.tenant_id } } };
  const actions: ReactNode = (
    <>
      {acting === t.slug ? <span className={classes.acting}>You act for it</span> : <LinkButton variant="subtle" to="/" search={{ tenant: t.slug }} aria-label={`Act for ${nameOf(t)}`}>Act for</LinkButton>}
      {may('changeTenant') && <Button variant="subtle" onClick={() => open('edit', t)} aria-label={`Change ${nameOf(t)}`}>Change…</Button>}
      {t.paused_at
        ? may('resumeTenant') && <Button onClick={() => void act(unwrap(api.POST('/api/v1/tenants/{tenant}/resume', at)), `${nameOf(t)} goes on.`)} aria-label={`Resume ${nameOf(t)}`}>Resume</Button>
        : may('pauseTenant') && <Button variant="subtle" onClick={() => open('pause', t)} aria-label={`Pause ${nameOf(t)}`}>Pause…</Button>}
    </>
  );
  const pending = pendingOf(t);
  const tone = t.paused_at || isAtLimit(t) || isFull(pending, t.max_pending) ? 'warn' : undefined;
  return (
    <>
      <tr className={above} data-tone={tone}>
        <td><Link to="/jobs" search={{ tenant: t.slug }} className={table.name} data-row>{nameOf(t)}</Link><span className={`${table.sub} mono`}>{t.slug}</span></td>
        <td className={`${table.hidePhone} ${classes.state}`}>{t.paused_at ? <Paused of={t} /> : isFull(pending, t.max_pending) ? <span className="tone-warn">Enqueues are refused</span> : isAtLimit(t) ? <span className="tone-warn">At its limit</span> : <span className="quiet">Open</span>}</td>
        <td className="num">{orZero(waitingOf(t))}{t.max_pending !== null && <span className={table.sub}>{capped(pending)} of {count(t.max_pending)}</span>}</td>
        <td className={`num ${table.hidePhone}`}>{t.oldest_due_seconds === null ? <span className="quiet">–</span> : age(t.oldest_due_seconds * 1000)}</td>
        <td className="num">{orZero(t.running)}{t.max_in_flight !== null && <span className={isAtLimit(t) ? 'tone-warn strong' : 'quiet'}> / {count(t.max_in_flight)}</span>}</td>
        <td className="num">{t.dead_letter ? <Link to="/jobs" search={{ tenant: t.slug, status: ['dead_letter'] }} className="tone-dead">{capped(t.dead_letter)}</Link> : <span className="quiet">0</span>}</td>
        <td className={`num ${table.hidePhone}`}>{t.weight}</td>
        <td className={table.hidePhone}><div className={rowActions}>{actions}</div></td>
      </tr>
      <Below tone={tone} says={t.paused_at && <Paused of={t} />}>{actions}</Below>
    </>
  );
}

/** The tenants of a page that have the text in their name or slug; also the one that has it as its slug, on whatever page. */
function useFound(q: string | undefined, cursor: string | undefined) {
  const page = useQuery(tenantPageQuery(cursor));
  const items = page.data?.items ?? [];
  const found = q ? items.filter((t) => `${t.name} ${t.slug}`.toLowerCase().includes(q.toLowerCase())) : items;
  const isPart = Boolean(page.data && (page.data.next_cursor || cursor));
  const { data: exact } = useQuery({ ...tenantQuery(q ?? ''), enabled: Boolean(q && isPart) });
  return { ...page, isPart, all: items, found: exact && !found.some((t) => t.tenant_id === exact.tenant_id) ? [exact, ...found] : found };
}

export function Tenants() {
  const { q, cursor } = useSearch({ strict: false }) as ListSearch;
  const { may } = useCaller();
  const [open, setOpen] = useState<{ what: 'edit' | 'pause' | 'new'; tenant?: Tenant } | null>(null);
  const { data, error, refetch, all, found, isPart } = useFound(q, cursor);
  useRows();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking for tenants" />;
  const close = () => setOpen(null);
  return (
    <>
      <Answer title={tenantsAnswer(all)} actions={may('createTenant') && <Button variant="filled" onClick={() => setOpen({ what: 'new' })}>New tenant</Button>}>
        {tenantsSum(all)} {isPart && 'This is one page of them. '}Within a queue and a priority each gets its share of the workers by its weight, whatever its backlog.
      </Answer>
      <Panel flush>
        {(all.length > FEW || isPart || q) && <Filters><FilterText name="q" label="Find a tenant" placeholder={isPart ? 'Name or slug on this page, or a whole slug' : 'Name or slug'} value={q} isSearch /></Filters>}
        {found.length ? (
          <TableScroll label="Tenants">
            <table className={`${table.table} ${table.tall}`}>
              <thead><tr><th>Tenant</th><th className={table.hidePhone}>State</th><th className="num">Waiting</th><th className={`num ${table.hidePhone}`}>Oldest</th><th className="num">Running</th><th className="num">Dead letter</th><th className={`num ${table.hidePhone}`}>Weight</th><th className={table.hidePhone}><span className="sr">Actions</span></th></tr></thead>
              <tbody>{found.map((t) => <Row key={t.tenant_id} tenant={t} open={(what, tenant) => setOpen({ what, tenant })} />)}</tbody>
            </table>
          </TableScroll>
        ) : <EmptyState title={q ? 'No tenant has that name' : 'There is no tenant here'} says={isPart ? 'Only this page was searched by name. Type the whole slug to find one on any page.' : 'Try a shorter word.'} />}
      </Panel>
      <Pager cursor={cursor} next={data.next_cursor} what="tenants" />
      {open?.what === 'pause' && open.tenant && <PauseForm name={nameOf(open.tenant)} says="None of its jobs starts from now on. What runs goes on, and it may still enqueue." onClose={close} pause={(reason) => unwrap(api.POST('/api/v1/tenants/{tenant}/pause', { params: { path: { tenant: open.tenant!.tenant_id } }, body: { reason } }))} />}
      {(open?.what === 'edit' || open?.what === 'new') && <TenantForm tenant={open.tenant} onClose={close} />}
    </>
  );
}
