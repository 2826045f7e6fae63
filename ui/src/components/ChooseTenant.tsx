import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { tenantsQuery } from '../api/queries';
import { Answer } from './Answer';
import { ErrorState } from './ErrorState';
import { Loading } from './Loading';
import { Panel } from './Panel';
import classes from './ChooseTenant.module.css';

const MOST = 100;
/** The tenant of the installation's own work: people run nothing there. */
export const SYSTEM = 'system';

export function ListFilter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return <div className={classes.filter}><TextInput data-page-search aria-label={label} placeholder={label} value={value} onChange={(e) => onChange(e.currentTarget.value)} leftSection={<IconSearch size={15} stroke={1.6} />} /></div>;
}

/** For what belongs to one tenant: a super admin says which. `wanted` is the id of the only one that makes sense. */
export function ChooseTenant({ wanted, children }: { wanted?: string; children: ReactNode }) {
  const { data, error, refetch } = useQuery(tenantsQuery);
  const [query, setQuery] = useState('');
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking for tenants" />;
  const found = data.items.filter((t) => (wanted ? t.id === wanted : t.slug !== SYSTEM && `${t.name} ${t.slug}`.toLowerCase().includes(query.toLowerCase())));
  return (
    <>
      <Answer title="For which tenant?">{children}</Answer>
      <Panel flush>
        {!wanted && data.items.length > 8 && <ListFilter label="Find a tenant" value={query} onChange={setQuery} />}
        <ul className={classes.list}>
          {found.slice(0, MOST).map((t) => (
            <li key={t.id}><Link to="." search={((s: object) => ({ ...s, tenant: t.slug })) as never}><b>{t.name || t.slug}</b><span>{t.paused_at ? 'paused: its jobs would wait' : t.name && t.name !== t.slug ? t.slug : ''}</span></Link></li>
          ))}
        </ul>
        {!found.length && <p className={classes.none}>{wanted ? 'Its tenant is not in the list. Choose it in the switcher.' : 'No tenant has that name.'}</p>}
        {found.length > MOST && <p className={classes.none}>These are {MOST} of {found.length}. Write a part of the name.</p>}
      </Panel>
    </>
  );
}
