import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { api, ApiError, unwrap } from '../api/client';
import { ThemeSwitch } from '../components/Shell';
import classes from './SignIn.module.css';

/** Only a path of this page: an address elsewhere would lead astray. */
const inside = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/');

const takeLink = (): string | undefined => /[#&]link=([^&]+)/.exec(window.location.hash)?.[1];

export function SignIn() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const [key, setKey] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const link = useRef(takeLink());

  const enter = useCallback(async (body: { key: string } | { link: string }) => {
    setBusy(true);
    try {
      await unwrap(api.POST('/api/v1/session', { body }));
      client.clear();
      await navigate({ to: inside(next), replace: true });
    } catch (caught) {
      const isLink = 'link' in body && caught instanceof ApiError && caught.status === 401;
      setError(isLink ? 'This link has been used or is older than ten minutes. Print a new one with jobplane login --web, or use a key.' : (caught as Error).message);
    } finally {
      setBusy(false);
    }
  }, [client, navigate, next]);

  useEffect(() => {
    const token = link.current;
    link.current = undefined;
    if (!token) return;
    window.history.replaceState(null, '', window.location.pathname); // a one-time link is no bookmark
    void enter({ link: token });
  }, [enter]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim()) void enter({ key: key.trim() });
    else setError('Enter an API key.');
  };

  return (
    <main className={classes.page}>
      <div className={classes.corner}><ThemeSwitch /></div>
      <form className={classes.box} onSubmit={submit}>
        <svg width="36" height="36" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="4" fill="var(--ink)" /><path d="M5 6.2h10M5 10h5.5M5 13.8h8" stroke="var(--inverse)" strokeWidth="1.8" /></svg>
        <h1>Sign in to jobplane</h1>
        <p className={classes.where}>{window.location.host}</p>
        <TextInput label="API key" type="password" autoComplete="off" placeholder="jp_…" description="It is exchanged for a session and not kept in the browser." value={key} onChange={(e) => { setKey(e.currentTarget.value); setError(undefined); }} error={error} data-autofocus autoFocus />
        <Button type="submit" variant="filled" fullWidth className={classes.big} loading={isBusy}>Sign in</Button>
        <div className={classes.or}><span>or with a link</span></div>
        <p className={classes.help}><code>jobplane login --web</code> prints a link that signs you in once. <code>jobplane up</code> prints one at its start; its first key is in <code>admin.key</code> in the data directory.</p>
      </form>
    </main>
  );
}
