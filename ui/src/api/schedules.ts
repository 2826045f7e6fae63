/** Schedules: what their pages ask for, and what a person does to them. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useCaller } from '../lib/caller';
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

/** Make a schedule, or change one whose version the caller has seen. */
export const saveSchedule = (tenant: string | undefined, body: Record<string, unknown>, seen?: Pick<Schedule, 'id' | 'version'>): Promise<Schedule> =>
  seen
    ? unwrap(api.PATCH('/api/v1/schedules/{trigger}', { params: { path: { trigger: seen.id }, header: { 'If-Match': `"${seen.version}"` } }, headers: naming(tenant), body: body as Schemas['TriggerChanges'] }))
    : unwrap(api.POST('/api/v1/schedules', { headers: naming(tenant), body: body as Schemas['TriggerBody'] }));

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
