import { Combobox, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { tenantsQuery } from '../api/queries';
import { useCaller } from '../lib/caller';
import { count } from '../lib/time';
import { TenantButton } from './TenantSwitcher';
import classes from './TenantSwitcher.module.css';

export function TenantMenu({ open, focus }: { open: boolean; focus: boolean }) {
  const { tenant } = useCaller();
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  const [query, setQuery] = useState('');
  const { data } = useQuery(tenantsQuery);
  const box = useCombobox({ defaultOpened: open, onDropdownClose: () => { box.resetSelectedOption(); setQuery(''); }, onDropdownOpen: () => box.focusSearchInput() });
  useEffect(() => { if (focus && !open) button.current?.focus(); }, [focus, open]);
  const found = (data?.items ?? []).filter((t) => `${t.name} ${t.slug}`.toLowerCase().includes(query.toLowerCase()));
  const choose = (value: string) => {
    void navigate({ to: '.', search: ((s: Record<string, unknown>) => ({ ...s, cursor: undefined, tenant: value === '*' ? undefined : value })) as never });
    box.closeDropdown();
  };
  return (
    <Combobox store={box} width={280} position="bottom-start" shadow="md" withinPortal onOptionSubmit={choose}>
      <Combobox.Target targetType="button"><TenantButton ref={button} onClick={() => box.toggleDropdown()} /></Combobox.Target>
      <Combobox.Dropdown className={classes.dropdown}>
        <Combobox.Search value={query} onChange={(e) => { setQuery(e.currentTarget.value); box.updateSelectedOptionIndex(); }} placeholder="Find a tenant" aria-label="Find a tenant" classNames={{ input: classes.search }} />
        <Combobox.Options className={classes.options}>
          <Combobox.Option value="*" className={classes.option} active={!tenant}><span>All tenants</span><span className="quiet">read-only</span></Combobox.Option>
          {found.slice(0, 50).map((t) => (
            <Combobox.Option key={t.slug} value={t.slug} className={classes.option} active={tenant === t.slug}>
              <span>{t.name || t.slug}</span>
              <span className={t.paused_at ? 'tone-warn' : 'quiet'}>{t.paused_at ? 'paused' : t.ready + t.held ? `${count(t.ready + t.held)} waiting` : ''}</span>
            </Combobox.Option>
          ))}
          {!found.length && <Combobox.Empty>No tenant has that name.</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
