import { Button, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, naming, type Schemas, unwrap } from '../api/client';
import { keyPageQuery } from '../api/operator';
import { tenantsQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { above, Below, rowActions } from '../components/Below';
import { Confirm } from '../components/Confirm';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { Filters, FilterText, useFilters } from '../components/Filters';
import { KeyForm, RotateForm } from '../components/KeyForm';
import { Loading } from '../components/Loading';
import { NewKey } from '../components/NewKey';
import { Pager } from '../components/Pager';
import { Panel } from '../components/Panel';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { isOver, type Key, KEY_STATES, keyName, keysAnswer, keyState, ROLES, type Role } from '../lib/api-keys';
import { useCaller } from '../lib/caller';
import { useNow } from '../lib/time';
import type { KeysSearch } from '../router';
import classes from './Keys.module.css';

type Open = { what: 'new' | 'rotate' | 'revoke'; key?: Key } | null;
const maker = (key: Key): string => { const by = key.created_by as { name?: string; id?: string }; return by.name || by.id || 'unknown'; };

function Row({ of: k, tenants, open }: { of: Key; tenants: Map<string, string> | null; open: (open: Open) => void }) {
  const now = useNow();
  const { may, me } = useCaller();
  const state = keyState(k, now);
  const [glyph, word] = KEY_STATES[state];
  const whose = k.tenant_id === null ? 'platform' : tenants?.get(k.tenant_id) ?? k.tenant_id.slice(-8);
  const ends = k.revoked_at ?? k.expires_at;
  const actions: ReactNode = !isOver(state) && (
    <>
      {may('rotateKey') && !k.replaced_by && <Button variant="subtle" onClick={() => open({ what: 'rotate', key: k })} aria-label={`Rotate ${keyName(k)}`}>Rotate…</Button>}
      {may('revokeKey') && <Button variant="subtle" onClick={() => open({ what: 'revoke', key: k })} aria-label={`Revoke ${keyName(k)}`}>Revoke…</Button>}
    </>
  );
  const tone = state === 'expiring' ? 'warn' : undefined;
  return (
    <>
      <tr className={above} data-tone={tone} data-off={isOver(state) || undefined}>
        <td className={classes.what}>
          <b className={table.name}>{k.name || <span className="quiet">without a name</span>}</b>{k.key_id === me.id && <span className="quiet"> you</span>}
          <span className={`${table.sub} mono`}>jp_{k.key_id}_…</span>
        </td>
        {tenants && <td className={table.hidePhone}>{k.tenant_id === null ? <span className="soft">{whose}</span> : whose}</td>}
        <td className={classes.may}>{k.role.replace('_', ' ')}<span className={`${table.sub} ${table.hidePhone}`}>{k.owner_user_id ? `only user ${k.owner_user_id}` : ROLES[k.role as Role]}</span></td>
        <td className={`${table.hideNarrow} ${classes.what}`}>{maker(k)}<span className={table.sub}><When at={k.created_at} /></span></td>
        <td className={`num ${table.hidePhone}`}>{k.last_used_at ? <When at={k.last_used_at} /> : <span className="quiet">never</span>}</td>
        <td className={`num nowrap ${table.hidePhone}`}>{ends ? <span className={state === 'expiring' ? 'tone-warn strong' : ''}><When at={ends} /></span> : <span className="quiet">never</span>}</td>
        <td><StatusBadge state={glyph} word={word} />{k.replaced_by && !isOver(state) && <span className={`${table.sub} ${table.hidePhone}`}>by <span className="mono">{k.replaced_by}</span></span>}</td>
        <td className={table.hidePhone}><div className={rowActions}>{actions}</div></td>
      </tr>
      <Below tone={tone} says={<span className="quiet">{tenants && `${whose}, `}last used {k.last_used_at ? <When at={k.last_used_at} /> : 'never'}{k.expires_at && !isOver(state) && <>, runs out <When at={k.expires_at} /></>}</span>}>{actions}</Below>
    </>
  );
}

export function Keys() {
  const { q, cursor, ended = false } = useSearch({ strict: false }) as KeysSearch;
  const { tenant, isOperator, may, me } = useCaller();
  const now = useNow();
  const set = useFilters();
  const { data, error, refetch } = useQuery(keyPageQuery(tenant, cursor));
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: isOperator });
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<Schemas['NewKey'] | null>(null);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking for keys" />;
  const slugs = isOperator && !tenant ? new Map(tenants?.items.map((t) => [t.tenant_id, t.slug])) : null;
  const over = data.items.filter((k) => isOver(keyState(k, now))).length;
  const found = data.items.filter((k) => (ended || !isOver(keyState(k, now))) && (!q || `${k.name} ${k.key_id} ${k.role} ${k.owner_user_id ?? ''} ${maker(k)}`.toLowerCase().includes(q.toLowerCase())));
  const close = () => setOpen(null);
  const whose = tenant ? `These are the keys of ${tenant}.` : isOperator ? 'These are the keys of the platform and of all tenants.' : '';
  return (
    <>
      <Answer title={keysAnswer(data.items, now)} actions={may('createKey') && <Button variant="filled" onClick={() => setOpen({ what: 'new' })}>New key</Button>}>{whose} A key is shown once, when it is made; after that only its beginning is known.</Answer>
      {made && <NewKey made={made} onDone={() => setMade(null)} />}
      <Panel flush>
        <Filters>
          <FilterText name="q" label="Find a key" placeholder="Name, beginning, role or owner" value={q} isSearch />
          <Switch label={`Also ended ones${over ? ` (${over})` : ''}`} checked={ended} onChange={(e) => set({ ended: e.currentTarget.checked || undefined })} />
        </Filters>
        {found.length ? (
          <TableScroll label="Keys">
            <table className={`${table.table} ${table.tall}`}>
              <thead><tr><th>Key</th>{slugs && <th className={table.hidePhone}>Tenant</th>}<th>May</th><th className={table.hideNarrow}>Made by</th><th className={`num ${table.hidePhone}`}>Last used</th><th className={`num ${table.hidePhone}`}>Runs out</th><th>State</th><th className={table.hidePhone}><span className="sr">Actions</span></th></tr></thead>
              <tbody>{found.map((k) => <Row key={k.key_id} of={k} tenants={slugs} open={setOpen} />)}</tbody>
            </table>
          </TableScroll>
        ) : <EmptyState title={q ? 'No key fits' : 'There is no key here'} says={q ? 'Try a shorter word, or show the ended ones too.' : 'Make one for each person and each program.'} />}
      </Panel>
      <Pager cursor={cursor} next={data.next_cursor} what="keys" />
      {open?.what === 'new' && <KeyForm onMade={setMade} onClose={close} />}
      {open?.what === 'rotate' && open.key && <RotateForm of={open.key} onMade={setMade} onClose={close} />}
      {open?.what === 'revoke' && open.key && <Confirm title={`Revoke ${keyName(open.key)}`} name={keyName(open.key)} submit="Revoke key" onClose={close}
        says={<>Every server refuses it within five seconds, for good. Programs that use it stop working.{open.key.key_id === me.id && <b>You are signed in with this key: you will be signed out.</b>}</>}
        run={async () => { await unwrap(api.POST('/api/v1/keys/{key_id}/revoke', { params: { path: { key_id: open.key!.key_id } }, headers: naming(tenant) })); return `${keyName(open.key!)} is revoked.`; }} />}
    </>
  );
}
