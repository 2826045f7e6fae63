/** Schedules: what their pages ask for, and what a person does to them. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useCaller } from '../lib/caller';
import { at as member, type Json, parse } from '../lib/json';
import { api, ApiError, naming, type Schemas, unwrap } from './client';
import { useAct } from './operator';
import { LIVING } from './queries';

export type Schedule = Schemas['Trigger'];
export type Fire = Schemas['Fire'];
export type Preview = Schemas['PreviewOut'];
export type PlannedTime = Schemas['PlannedTimeOut'];
export type Simulation = Schemas['SimulationOut'];
export type Backfill = Schemas['Backfill'];

const PAGE = 50;
const MOST_LATE = 50;

export interface ScheduleFilter { definition?: string; enabled?: boolean; late?: boolean; cursor?: string }

export const schedulePageQuery = (tenant: string | undefined, { definition, enabled, late, cursor }: ScheduleFilter) =>
  queryOptions({
    queryKey: ['schedules', tenant, { definition, enabled, late, cursor }],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedules', { params: { query: { limit: PAGE, definition_key: definition, is_enabled: enabled, late, cursor } }, headers: naming(tenant), signal })),
    ...LIVING,
  });

/** The late ones, wherever they are in the list. */
export const lateSchedulesQuery = (tenant: string | undefined, definition?: string) =>
  queryOptions({
    queryKey: ['schedules', tenant, 'late', definition],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedules', { params: { query: { limit: MOST_LATE, late: true, definition_key: definition } }, headers: naming(tenant), signal })),
    ...LIVING,
  });

/** Those that are on, for what fires next. */
export const upcomingQuery = (tenant: string | undefined) =>
  queryOptions({
    queryKey: ['schedules', tenant, 'upcoming'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedules', { params: { query: { limit: 200, is_enabled: true } }, headers: naming(tenant), signal })),
    ...LIVING,
  });

const at = (id: string, tenant: string | undefined) => ({ params: { path: { trigger: id } }, headers: naming(tenant) });

/** A schedule by its id or key, or null where there is none for this caller. */
export const scheduleQuery = (tenant: string | undefined, id: string) =>
  queryOptions({
    queryKey: ['schedules', tenant, 'one', id],
    queryFn: async ({ signal }): Promise<Schedule | null> => {
      try {
        return await unwrap(api.GET('/api/v1/schedules/{trigger}', { ...at(id, tenant), signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: LIVING.refetchInterval,
  });

/** What became of the planned times, the newest first. */
export const firesQuery = (tenant: string | undefined, id: string) =>
  infiniteQueryOptions({
    queryKey: ['schedules', tenant, 'fires', id],
    queryFn: ({ pageParam, signal }) => unwrap(api.GET('/api/v1/schedules/{trigger}/fires', { params: { path: { trigger: id }, query: { limit: PAGE, cursor: pageParam } }, headers: naming(tenant), signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.items),
    ...LIVING,
  });

/** The next planned times of a stored schedule. The version is in the key: a change is asked for anew. */
export const nextFiresQuery = (tenant: string | undefined, schedule: Pick<Schedule, 'id' | 'version' | 'next_run_at'>, count = 7) =>
  queryOptions({
    queryKey: ['schedule-preview', tenant, schedule.id, schedule.version, schedule.next_run_at, count],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedules/{trigger}/preview', { params: { path: { trigger: schedule.id }, query: { count } }, headers: naming(tenant), signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** A timetable that somebody is typing. */
export interface Timetable { cron_expr?: string; interval_seconds?: number; once?: boolean; timezone?: string; starts_at?: string; ends_at?: string }

export const timetableQuery = (tenant: string | undefined, timetable: Timetable) =>
  queryOptions({
    queryKey: ['timetable', tenant, timetable],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedules/preview', { params: { query: { ...timetable, count: 7 } }, headers: naming(tenant), signal })),
    staleTime: 30_000, gcTime: 60_000,
  });

/** What it would have done over the last year. */
export const simulationQuery = (tenant: string | undefined, { cron_expr, interval_seconds, timezone }: Timetable) =>
  queryOptions({
    queryKey: ['timetable', tenant, 'simulation', { cron_expr, interval_seconds, timezone }],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedules/simulate', { params: { query: { cron_expr, interval_seconds, timezone } }, headers: naming(tenant), signal })),
    staleTime: 300_000, gcTime: 300_000,
  });

export const pauseSchedule = (tenant: string | undefined, id: string, reason: string | null) => unwrap(api.POST('/api/v1/schedules/{trigger}/disable', { ...at(id, tenant), body: { reason } }));
export const resumeSchedule = (tenant: string | undefined, id: string) => unwrap(api.POST('/api/v1/schedules/{trigger}/enable', at(id, tenant)));
export const fireSchedule = (tenant: string | undefined, id: string) => unwrap(api.POST('/api/v1/schedules/{trigger}/fire', at(id, tenant)));
export const deleteSchedule = (tenant: string | undefined, id: string) => unwrap(api.DELETE('/api/v1/schedules/{trigger}', at(id, tenant)));
export const backfillSchedule = (tenant: string | undefined, id: string, body: Schemas['BackfillBody']) => unwrap(api.POST('/api/v1/schedules/{trigger}/backfill', { ...at(id, tenant), body }));

/** The text is sent as it is: a number in it keeps its digits. */
const sending = (text: string) => ({ body: {} as never, bodySerializer: () => text });

/** Make a schedule, or change one whose version the caller has seen. */
export const saveSchedule = async (tenant: string | undefined, text: string, seen?: Pick<Schedule, 'id' | 'version'>): Promise<Schedule> =>
  seen
    ? await unwrap(api.PATCH('/api/v1/schedules/{trigger}', { params: { path: { trigger: seen.id }, header: { 'If-Match': `"${seen.version}"` } }, headers: naming(tenant), ...sending(text) }))
    : ((await unwrap(api.POST('/api/v1/schedules', { headers: naming(tenant), ...sending(text) }))) as Schedule);

export interface Editable { schedule: Schedule; payload: Json }

/** A schedule to be edited, with every digit of its payload. It is read once: what one types is not taken away. */
export const editableQuery = (tenant: string | undefined, id: string) =>
  queryOptions({
    queryKey: ['schedule-edit', tenant, id],
    queryFn: async ({ signal }): Promise<Editable> => {
      const text = (await unwrap(api.GET('/api/v1/schedules/{trigger}', { ...at(id, tenant), parseAs: 'text', signal }))) as string;
      return { schedule: JSON.parse(text) as Schedule, payload: member(parse(text), 'payload_template') ?? new Map() };
    },
    staleTime: Infinity, gcTime: 0,
  });

/** The time zone of the tenant, which counts where a schedule names none. */
export const tenantZoneQuery = (tenant: string | undefined) =>
  queryOptions({
    queryKey: ['timetable', tenant, 'zone'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/v1/schedules/preview', { params: { query: { interval_seconds: 3600, count: 1 } }, headers: naming(tenant), signal }))).timezone,
    staleTime: 60_000,
  });

/** What the server said of a schedule when it was saved; it says it only then. */
export const warningsKey = (id: string) => ['saved-warnings', id];

/** Pause and resume from a switch, with a way back. A single time that has fired cannot be undone this way. */
export function useScheduleSwitch() {
  const act = useAct();
  const { tenant } = useCaller();
  return useCallback((schedule: Pick<Schedule, 'id' | 'label'>, on: boolean) => {
    const send = (wanted: boolean) => (wanted ? resumeSchedule(tenant, schedule.id) : pauseSchedule(tenant, schedule.id, null));
    const says = (wanted: boolean) => (wanted ? `${schedule.label} fires again, from now on.` : `${schedule.label} is paused: it does not fire.`);
    void act(send(on), says(on), () => void act(send(!on), says(!on)));
  }, [act, tenant]);
}
