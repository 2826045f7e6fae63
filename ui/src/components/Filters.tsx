import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import classes from './Filters.module.css';

const WAIT_MS = 250;
type Change = Record<string, string | boolean | undefined>;

/** Put filters into the URL, and go to the first page. A choice makes an entry in the history, typing does not. */
export function useFilters(): (change: Change, isTyping?: boolean) => void {
  const navigate = useNavigate();
  return useCallback((change, isTyping = false) => void navigate({ to: '.', replace: isTyping, search: ((s: Record<string, unknown>) => ({ ...s, cursor: undefined, ...change })) as never }), [navigate]);
}

/** A row of filters. On the phone those after `more` wait until it is opened. */
export function Filters({ isOpen = true, children }: { isOpen?: boolean; children: ReactNode }) {
  return <div className={classes.filters} data-closed={!isOpen || undefined}>{children}</div>;
}

/** A text filter. It is sent when one stops typing. */
export function FilterText({ name, label, placeholder, value, isSearch = false }: { name: string; label: string; placeholder: string; value: string | undefined; isSearch?: boolean }) {
  const set = useFilters();
  const [text, setText] = useState(value ?? '');
  const sent = useRef(value ?? '');
  useEffect(() => { if ((value ?? '') !== sent.current) { sent.current = value ?? ''; setText(sent.current); } }, [value]);
  useEffect(() => {
    if (text.trim() === sent.current) return undefined;
    const timer = setTimeout(() => { sent.current = text.trim(); set({ [name]: sent.current || undefined }, true); }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [name, set, text]);
  return (
    <TextInput type="search" className={classes.text} aria-label={label} placeholder={placeholder} value={text} onChange={(e) => setText(e.currentTarget.value)} spellCheck={false}
      {...(isSearch ? { 'data-page-search': true, leftSection: <IconSearch size={15} stroke={1.6} />, rightSection: <kbd className={classes.kbd}>/</kbd> } : {})} />
  );
}
