/** Commands: what a payload would become, what an attempt wrote, and the definition to be edited. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { at, type Json, parse } from '../lib/json';
import { api, ApiError, type Definition, naming, type Schemas, unwrap } from './client';

export type CommandPreview = Schemas['CommandPreviewOut'];
export type CommandOutput = Schemas['CommandOutput'];

/** The text is sent as it is: a number in it keeps its digits. */
const sending = (text: string) => ({ body: {} as never, bodySerializer: () => text });

/** What a worker would start with this payload; null where the payload is refused. */
export const commandPreviewQuery = (tenant: string | undefined, key: string, payload: string) =>
  queryOptions({
    queryKey: ['command-preview', tenant, key, payload],
    queryFn: async ({ signal }): Promise<CommandPreview | null> => {
      try {
        return await unwrap(api.POST('/api/v1/definitions/{key}/preview', { params: { path: { key } }, headers: naming(tenant), signal, ...sending(`{"payload": ${payload}}`) }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 422) return null;
        throw error;
      }
    },
    placeholderData: keepPreviousData, staleTime: 5_000, gcTime: 60_000,
  });

/** What the command of an attempt wrote last. It does not change any more. */
export const outputQuery = (tenant: string | undefined, id: string, attempt: number) =>
  queryOptions({
    queryKey: ['output', tenant, id, attempt],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/jobs/{job_id}/attempts/{attempt_no}/output', { params: { path: { job_id: id, attempt_no: attempt } }, headers: naming(tenant), signal })),
    staleTime: Infinity,
  });

export interface Editable { definition: Definition; schema: Json }

/** A definition to be edited, with every digit of its schema. It is read once: what one types is not taken away. */
export const editableCommandQuery = (key: string) =>
  queryOptions({
    queryKey: ['command-edit', key],
    queryFn: async ({ signal }): Promise<Editable> => {
      const text = (await unwrap(api.GET('/api/v1/admin/jobs/definitions/{key}', { params: { path: { key } }, parseAs: 'text', signal }))) as string;
      return { definition: JSON.parse(text) as Definition, schema: at(parse(text), 'arg_schema') ?? true };
    },
    staleTime: Infinity, gcTime: 0,
  });

/** The definition that was read, and so may be changed. */
export type Seen = Pick<Definition, 'key' | 'revision'>;

const send = (text: string, seen: Seen | undefined, isTrial: boolean) => {
  const query = { dry_run: isTrial };
  return seen
    ? unwrap(api.PATCH('/api/v1/admin/jobs/definitions/{key}', { params: { path: { key: seen.key }, header: { 'If-Match': `"${seen.revision}"` }, query }, ...sending(text) }))
    : unwrap<unknown>(api.POST('/api/v1/admin/jobs/definitions', { params: { query }, ...sending(text) }));
};

/** Make a definition, or change the one that was seen. */
export const saveCommand = async (text: string, seen?: Seen): Promise<Definition> => (await send(text, seen, false)) as Definition;

/** What the server would refuse; null where it would take it. Nothing is written. */
export const commandTrialQuery = (text: string, seen?: Seen) =>
  queryOptions({
    queryKey: ['command-trial', text, seen?.key, seen?.revision],
    queryFn: async (): Promise<ApiError | null> => {
      try {
        await send(text, seen, true);
        return null;
      } catch (error) {
        if (error instanceof ApiError && error.status < 500 && error.status !== 401) return error;
        throw error;
      }
    },
    placeholderData: keepPreviousData, staleTime: 5_000, gcTime: 60_000,
  });
