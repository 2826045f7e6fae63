import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, Outlet, redirect, retainSearchParams } from '@tanstack/react-router';
import { ApiError, ROOT } from './api/client';
import { meQuery } from './api/queries';
import { ErrorState } from './components/ErrorState';
import { Shell } from './components/Shell';
import { setServerTime } from './lib/time';
import { Overview } from './pages/Overview';

type Raw = Record<string, unknown>;
const text = (value: unknown) => (typeof value === 'string' && value ? value : typeof value === 'number' ? String(value) : undefined);
const list = (value: unknown) => (Array.isArray(value) && value.length ? value.map(String) : typeof value === 'string' && value ? [value] : undefined);
const whole = (value: unknown) => (typeof value === 'number' && Number.isInteger(value) ? value : undefined);

/** The filters of the list of jobs, as they stand in the URL. */
export interface JobsSearch { status?: string[]; definition?: string; queue?: string; by?: string; worker?: string; tag?: string; correlation?: string; q?: string; since?: string; cursor?: string; tenant?: string }
export interface JobSearch { attempt?: number; line?: number; all?: true; level?: string; find?: string; tenant?: string }
export interface LogsSearch { q?: string; level?: string; definition?: string; since?: string; until?: string; tenant?: string }
export interface RunSearch { definition?: string; from?: string; as?: 'json'; tenant?: string }
export interface AuditSearch { cursor?: string; action?: string; actor?: string; target?: string; since?: string; until?: string; tenant?: string }
export interface ListSearch { q?: string; cursor?: string; tenant?: string }
export interface DefinitionsSearch extends ListSearch { system?: boolean }
/** The filters of the list of schedules, as they stand in the URL. */
export interface SchedulesSearch { enabled?: 'on' | 'off'; late?: boolean; definition?: string; cursor?: string; tenant?: string }
export interface KeysSearch extends ListSearch { ended?: boolean }

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  validateSearch: (s: Raw): { tenant?: string } => ({ tenant: text(s.tenant) }),
  search: { middlewares: [retainSearchParams(['tenant'])] },
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      setServerTime((await context.client.ensureQueryData(meQuery)).now);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw redirect({ to: '/sign-in', search: { next: location.href === '/' ? undefined : location.href } });
      throw error;
    }
  },
  errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
});

const at = <P extends string, S>(path: P, validateSearch: (s: Raw) => S, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => shell, path, validateSearch, component, errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} /> });
const none = () => ({});
const listSearch = (s: Raw): ListSearch => ({ q: text(s.q), cursor: text(s.cursor) });
const yes = (value: unknown) => (value === true ? true : undefined);

const jobsSearch = (s: Raw): JobsSearch => ({ status: list(s.status), definition: text(s.definition), queue: text(s.queue), by: text(s.by), worker: text(s.worker), tag: text(s.tag), correlation: text(s.correlation), q: text(s.q), since: text(s.since), cursor: text(s.cursor) });

const tree = root.addChildren([
  shell.addChildren([
    createRoute({ getParentRoute: () => shell, path: '/', component: Overview }),
    at('/jobs', jobsSearch, lazyRouteComponent(() => import('./pages/Jobs'), 'Jobs')),
    at('/jobs/$id', (s): JobSearch => ({ attempt: whole(s.attempt), line: whole(s.line), all: s.all === true || undefined, level: text(s.level), find: text(s.find) }), lazyRouteComponent(() => import('./pages/Job'), 'JobPage')),
    at('/run', (s): RunSearch => ({ definition: text(s.definition), from: text(s.from), as: s.as === 'json' ? 'json' : undefined }), lazyRouteComponent(() => import('./pages/Run'), 'Run')),
    at('/schedules', (s): SchedulesSearch => ({ enabled: s.enabled === 'on' || s.enabled === 'off' ? s.enabled : undefined, late: yes(s.late), definition: text(s.definition), cursor: text(s.cursor) }), lazyRouteComponent(() => import('./pages/Schedules'), 'Schedules')),
    at('/schedules/new', (s): { definition?: string } => ({ definition: text(s.definition) }), lazyRouteComponent(() => import('./pages/ScheduleEdit'), 'NewSchedule')),
    at('/schedules/$id', none, lazyRouteComponent(() => import('./pages/Schedule'), 'SchedulePage')),
    at('/schedules/$id/edit', none, lazyRouteComponent(() => import('./pages/ScheduleEdit'), 'EditSchedule')),
    at('/logs', (s): LogsSearch => ({ q: text(s.q), level: text(s.level), definition: text(s.definition), since: text(s.since), until: text(s.until) }), lazyRouteComponent(() => import('./pages/Logs'), 'Logs')),
    at('/tenants', listSearch, lazyRouteComponent(() => import('./pages/Tenants'), 'Tenants')),
    at('/workers', none, lazyRouteComponent(() => import('./pages/Workers'), 'Workers')),
    at('/queues', listSearch, lazyRouteComponent(() => import('./pages/Queues'), 'Queues')),
    at('/definitions', (s): DefinitionsSearch => ({ ...listSearch(s), system: yes(s.system) }), lazyRouteComponent(() => import('./pages/Definitions'), 'Definitions')),
    at('/definitions/$key', none, lazyRouteComponent(() => import('./pages/Definition'), 'DefinitionPage')),
    at('/definitions/$key/command', none, lazyRouteComponent(() => import('./pages/CommandEdit'), 'EditCommand')),
    at('/commands/new', none, lazyRouteComponent(() => import('./pages/CommandEdit'), 'NewCommand')),
    at('/keys', (s): KeysSearch => ({ ...listSearch(s), ended: yes(s.ended) }), lazyRouteComponent(() => import('./pages/Keys'), 'Keys')),
    at('/audit', (s): AuditSearch => ({ cursor: text(s.cursor), action: text(s.action), actor: text(s.actor), target: text(s.target), since: text(s.since), until: text(s.until) }), lazyRouteComponent(() => import('./pages/AuditLog'), 'AuditLog')),
    at('/database', none, lazyRouteComponent(() => import('./pages/Database'), 'Database')),
    at('/welcome', none, lazyRouteComponent(() => import('./pages/Welcome'), 'Welcome')),
  ]),
  createRoute({ getParentRoute: () => root, path: '/sign-in', validateSearch: (s: Raw): { next?: string } => ({ next: text(s.next) }), component: lazyRouteComponent(() => import('./pages/SignIn'), 'SignIn') }),
]);

export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree: tree,
    basepath: ROOT || '/',
    context: { client },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: () => <ErrorState error={new ApiError(404, { detail: 'No page has this address. Choose one from the navigation.' })} />,
  });

declare module '@tanstack/react-router' {
  interface Register { router: ReturnType<typeof makeRouter> }
}
