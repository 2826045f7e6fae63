import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, naming, type Schemas, unwrap } from '../api/client';
import { tenantsQuery } from '../api/queries';
import { type Key, keyName, type Role, ROLES, rolesFor } from '../lib/api-keys';
import { useCaller } from '../lib/caller';
import { numberIn } from '../lib/form-errors';
import { nameOf } from '../lib/tenants';
import { DAY } from '../lib/time';
import { FormDialog, half, type Values } from './FormDialog';

type Made = Schemas['NewKey'];
const SPANS = [{ value: '30', label: 'in 30 days' }, { value: '90', label: 'in 90 days' }, { value: '365', label: 'in a year' }, { value: '', label: 'never' }, { value: 'day', label: 'on a day…' }];

/** The end of a day in the viewer's own zone, or so many days from now. */
function expiryIn(v: Values): string | null {
  if (v.span === 'day') return v.expires_at ? new Date(`${v.expires_at}T23:59:59`).toISOString() : null;
  return v.span ? new Date(Date.now() + Number(v.span) * DAY).toISOString() : null;
}

/** Make a key: for one's own tenant, or as an operator for any tenant or the platform. */
export function KeyForm({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { isOperator, tenant: acting, me } = useCaller();
  const [tenant, setTenant] = useState(acting ?? '');
  const [span, setSpan] = useState('90');
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: isOperator });
  const slugs = [...new Set([...(acting ? [acting] : []), ...(tenants?.items ?? []).map((t) => t.slug)])];
  const label = (slug: string) => { const t = tenants?.items.find((x) => x.slug === slug); return t && nameOf(t) !== slug ? `${nameOf(t)} (${slug})` : slug; };
  const roles = rolesFor(isOperator, tenant !== '');
  const send = async (v: Values) => {
    onMade(await unwrap(api.POST('/api/v1/keys', { body: { role: v.role as Role, name: v.name!.trim(), owner_user_id: v.owner_user_id?.trim() || null, expires_at: expiryIn(v) }, headers: naming(isOperator ? tenant || undefined : undefined) })));
  };
  return (
    <FormDialog title="New key" says="It is shown once, when it is made. Give each person and each program a key of its own." submit="Make key" onClose={onClose} run={send}>
      {(errors) => (
        <>
          <TextInput name="name" label="Name" description="Who or what uses it." error={errors.name} autoComplete="off" autoFocus />
          {isOperator && <NativeSelect name="tenant" label="Tenant" value={tenant} onChange={(e) => setTenant(e.currentTarget.value)} data={[{ value: '', label: 'None: a key of the platform' }, ...slugs.map((slug) => ({ value: slug, label: label(slug) }))]} />}
          <NativeSelect key={String(tenant !== '')} name="role" label="Role" error={errors.role} data={roles.map((role) => ({ value: role, label: `${role.replace('_', ' ')}: ${ROLES[role]}` }))} />
          <NativeSelect className={half} name="span" label="Runs out" value={span} onChange={(e) => setSpan(e.currentTarget.value)} data={SPANS} error={span === 'day' ? undefined : errors.expires_at} />
          {span === 'day' && <TextInput className={half} type="date" name="expires_at" label="Day" error={errors.expires_at} />}
          {(tenant !== '' || !isOperator) && !me.owner_user_id && <TextInput name="owner_user_id" label="Only for one user of your application" description="Empty: for all jobs of the tenant." error={errors.owner_user_id} autoComplete="off" spellCheck={false} />}
        </>
      )}
    </FormDialog>
  );
}

/** Replace a key: the old one works until the overlap is over. */
export function RotateForm({ of, onMade, onClose }: { of: Key; onMade: (made: Made) => void; onClose: () => void }) {
  const { tenant } = useCaller();
  return (
    <FormDialog title={`Rotate ${keyName(of)}`} says="A new key with the same rights replaces it. The old one works a while longer, so that you can change the programs one after the other." submit="Make the new key" onClose={onClose}
      run={async (v) => onMade(await unwrap(api.POST('/api/v1/keys/{key_id}/rotate', { params: { path: { key_id: of.key_id } }, body: { overlap_seconds: numberIn(v.overlap_seconds)! }, headers: naming(tenant) })))}>
      {(errors) => <NativeSelect name="overlap_seconds" label="The old key works for" defaultValue="86400" error={errors.overlap_seconds} data={[{ value: '0', label: 'no longer: it ends now' }, { value: '3600', label: 'an hour' }, { value: '86400', label: 'a day' }, { value: '604800', label: 'a week' }, { value: '2592000', label: '30 days' }]} />}
    </FormDialog>
  );
}
