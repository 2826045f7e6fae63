import { Tooltip, useMantineColorScheme } from '@mantine/core';
import { IconActivity, IconBuilding, IconClock, IconCode, IconDatabase, IconDeviceDesktop, IconDots, IconHistory, IconKey, IconKeyboard, IconList, IconLogs, IconLogout, IconMoon, IconPlayerPlay, IconSearch, IconServer2, IconStack2, IconSun } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { follow, useLive } from '../api/live';
import { problemsQuery } from '../api/queries';
import { useCaller } from '../lib/caller';
import { useKeys } from '../lib/keys';
import { clockSeconds } from '../lib/time';
import { Loading } from './Loading';
import { Notices } from './Notices';
import { TenantSwitcher } from './TenantSwitcher';
import classes from './Shell.module.css';

const GoTo = lazy(() => import('./GoTo').then((m) => ({ default: m.GoTo })));
const ShortcutHelp = lazy(() => import('./ShortcutHelp').then((m) => ({ default: m.ShortcutHelp })));
const AccountMenu = lazy(() => import('./AccountMenu').then((m) => ({ default: m.AccountMenu })));

interface Item { to: string; label: string; icon: ComponentType<{ size?: number; stroke?: number }>; key: string; needs: string }
const TENANT: Item[] = [
  { to: '/', label: 'Overview', icon: IconActivity, key: 'o', needs: 'listProblems' },
  { to: '/jobs', label: 'Jobs', icon: IconList, key: 'j', needs: 'listJobs' },
  { to: '/schedules', label: 'Schedules', icon: IconClock, key: 's', needs: 'listTriggers' },
  { to: '/logs', label: 'Logs', icon: IconLogs, key: 'l', needs: 'searchLogs' },
];
const ADMIN: Item[] = [
  { to: '/keys', label: 'Keys', icon: IconKey, key: 'k', needs: 'listKeys' },
  { to: '/audit', label: 'Audit log', icon: IconHistory, key: 'a', needs: 'listAudit' },
];
const OPERATOR: Item[] = [
  { to: '/tenants', label: 'Tenants', icon: IconBuilding, key: 'n', needs: 'listTenants' },
  { to: '/workers', label: 'Workers', icon: IconServer2, key: 'w', needs: 'listWorkers' },
  { to: '/queues', label: 'Queues', icon: IconStack2, key: 'q', needs: 'listQueues' },
  { to: '/definitions', label: 'Definitions', icon: IconCode, key: 'd', needs: 'listDefinitionsInFull' },
  { to: '/database', label: 'Database', icon: IconDatabase, key: 'b', needs: 'getDatabase' },
];

function Items({ items, alerts, onGo }: { items: Item[]; alerts: Record<string, number>; onGo: () => void }) {
  return (
    <ul>
      {items.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <Link to={to as '/'} className={classes.item} activeOptions={{ exact: to === '/', includeSearch: false }} activeProps={{ 'data-active': true, 'aria-current': 'page' } as never} onClick={onGo}>
            <Icon size={16} stroke={1.6} />
            <span>{label}</span>
            {alerts[to] ? <span className={classes.alert}>{alerts[to]}<span className="sr"> need attention</span></span> : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = colorScheme === 'auto' ? 'light' : colorScheme === 'light' ? 'dark' : 'auto';
  const Icon = colorScheme === 'auto' ? IconDeviceDesktop : colorScheme === 'light' ? IconSun : IconMoon;
  const word = colorScheme === 'auto' ? 'system' : colorScheme;
  return (
    <Tooltip label={`Theme: ${word}`}>
      <button type="button" className={classes.icon} onClick={() => setColorScheme(next)} aria-label={`Theme: ${word}. Change`}><Icon size={16} stroke={1.6} /></button>
    </Tooltip>
  );
}

const LIVE = {
  live: ['Live', 'Updates arrive as they happen; they rest while the tab is hidden'],
  polling: ['Live', 'The page asks every two seconds; it rests while the tab is hidden'],
  resting: ['Resting', 'The page rests while the tab is hidden'],
  lost: ['Cut off', 'The server cannot be reached; the page tries again by itself'],
} as const;

/** Honest about how old the page is. */
function LiveMark() {
  const { state, since } = useLive();
  const [word, says] = LIVE[state];
  const old = state === 'lost' ? ` since ${clockSeconds(since)}` : '';
  return <Tooltip label={says}><span className={classes.live} tabIndex={0} data-state={state} role="status"><i aria-hidden="true" />{word}{old}</span></Tooltip>;
}

/** The keys that go somewhere: g, then the letter of a page. */
function useGoing(items: Item[], find: () => void, help: () => void): void {
  const navigate = useNavigate();
  const chord = useRef(0);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => { if (e.key === 'k' && (e.metaKey || e.ctrlKey)) { e.preventDefault(); find(); } };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [find]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (Date.now() - chord.current > 1200) return;
      chord.current = 0;
      const item = items.find((i) => i.key === e.key);
      if (item) { e.preventDefault(); e.stopImmediatePropagation(); void navigate({ to: item.to as '/' }); }
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [items, navigate]);
  useKeys({
    '?': help,
    g: () => { chord.current = Date.now(); },
    '/': (e) => {
      e.preventDefault();
      const search = document.querySelector<HTMLInputElement>('[data-page-search]');
      if (search) search.focus(); else find();
    },
  });
}

export function Shell() {
  const { tenant, may, me, isOperator } = useCaller();
  const client = useQueryClient();
  const { data: problems } = useQuery({ ...problemsQuery(tenant), enabled: may('listProblems') });
  const [open, setOpen] = useState<'help' | 'find' | 'account' | 'more' | null>(null);
  const own = TENANT.filter((i) => may(i.needs));
  const admin = ADMIN.filter((i) => may(i.needs));
  const operator = OPERATOR.filter((i) => may(i.needs));
  const find = useRef(() => setOpen('find')).current;
  useGoing([...own, ...admin, ...operator], find, () => setOpen('help'));
  useEffect(() => follow(client, tenant), [client, tenant]);
  const alerts = { '/': problems?.length ?? 0, '/schedules': problems?.filter((p) => p.code === 'schedule_late').length ?? 0, '/workers': problems?.filter((p) => p.code === 'worker_silent').length ?? 0 };
  const close = () => setOpen(null);
  const tabs = [...own, ...(isOperator ? operator.slice(1, 2) : [])];

  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip} onClick={(e) => { e.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to content</a>
      <aside className={classes.sidebar} data-open={open === 'more' || undefined}>
        <Link to="/" className={classes.logo} aria-label="jobplane, overview">
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="4" fill="var(--ink)" /><path d="M5 6.2h10M5 10h5.5M5 13.8h8" stroke="var(--inverse)" strokeWidth="1.8" /></svg>
          jobplane
        </Link>
        <TenantSwitcher />
        <nav aria-label="Main" className={classes.nav}>
          <Items items={isOperator ? own : [...own, ...admin]} alerts={alerts} onGo={close} />
          {operator.length > 0 && <div className={classes.group}>Operator</div>}
          {operator.length > 0 && <Items items={[...operator, ...admin]} alerts={alerts} onGo={close} />}
        </nav>
        <div className={classes.foot}>
          {may('enqueueJob') && <Link to="/run" className={classes.item} activeProps={{ 'data-active': true } as never} onClick={close}><IconPlayerPlay size={16} stroke={1.6} /><span>Run a job</span></Link>}
          <button type="button" className={classes.user} onClick={() => setOpen('account')} aria-haspopup="dialog">
            <span className={classes.who}><span>{me.name || me.id}</span><span className="quiet">{me.role.replace('_', ' ')}</span></span>
            <IconLogout size={15} stroke={1.6} aria-hidden="true" /><span className="sr">Account and sign out</span>
          </button>
        </div>
      </aside>

      <div className={classes.column}>
        {tenant && (
          <div className={classes.acting} role="status">
            <span>You act for <strong>{tenant}</strong><span className={classes.long}>. What you change is recorded under your name.</span></span>
            <Link to="." search={((s: Record<string, unknown>) => ({ ...s, tenant: undefined })) as never}>Stop</Link>
          </div>
        )}
        <header className={classes.topbar}>
          <div className={classes.phoneTenant}><TenantSwitcher /></div>
          <button type="button" className={classes.find} onClick={find}>
            <IconSearch size={15} stroke={1.6} /><span>{isOperator ? 'Find a job, worker, tenant…' : 'Find a job or definition…'}</span><kbd>/</kbd>
          </button>
          <div className={classes.tools}>
            <LiveMark />
            <Tooltip label="Keyboard shortcuts"><button type="button" className={`${classes.icon} ${classes.wide}`} onClick={() => setOpen('help')} aria-label="Keyboard shortcuts"><IconKeyboard size={17} stroke={1.6} /></button></Tooltip>
            <ThemeSwitch />
          </div>
        </header>
        <main id="main" tabIndex={-1} className={classes.main}><Suspense fallback={<Loading />}><Outlet /></Suspense></main>
      </div>

      <nav className={classes.tabs} aria-label="Main, phone" style={{ gridTemplateColumns: `repeat(${tabs.length + 1}, 1fr)` }}>
        {tabs.map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to as '/'} className={classes.tab} activeOptions={{ exact: to === '/', includeSearch: false }} activeProps={{ 'data-active': true, 'aria-current': 'page' } as never} onClick={close}>
            <Icon size={20} stroke={1.5} />{label}{(alerts as Record<string, number>)[to] ? <span className={classes.dot}><span className="sr">needs attention</span></span> : null}
          </Link>
        ))}
        <button type="button" className={classes.tab} aria-expanded={open === 'more'} onClick={() => setOpen(open === 'more' ? null : 'more')} data-active={open === 'more' || undefined}><IconDots size={20} stroke={1.5} />More</button>
      </nav>
      <Suspense>
        {open === 'help' && <ShortcutHelp onClose={close} />}
        {open === 'find' && <GoTo onClose={close} />}
        {open === 'account' && <AccountMenu onClose={close} />}
      </Suspense>
      <Notices />
    </div>
  );
}
