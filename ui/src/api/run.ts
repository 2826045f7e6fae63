/** What the page that runs a job asks: definitions, a former job, the server's judgement, and the job itself. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Command, commandOf } from '../lib/command-template';
import { at, isMembers, type Json, type Members, Num, parse, textAt, write } from '../lib/json';
import type { Refusal } from '../lib/schema';
import { api, ApiError, type Definition, naming, type Schemas, unwrap } from './client';

const PAGE = 200;
const MOST_PAGES = 10;

/** The definitions that take jobs, all of them. */
export const activeDefinitionsQuery = queryOptions({
  queryKey: ['definitions', 'active'],
  queryFn: async ({ signal }) => {
    const found: Definition[] = [];
    let cursor: string | null | undefined;
    for (let n = 0; n < MOST_PAGES; n++) {
      const page = await unwrap(api.GET('/api/v1/definitions', { params: { query: { limit: PAGE, cursor } }, signal }));
      found.push(...page.items.filter((d) => d.is_active && !d.system));
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    return found;
  },
  staleTime: 15_000,
});

/** A definition as a form needs it, with every digit of its defaults. */
export interface Runnable { key: string; kind: string | undefined; description: string; queue: string; priority: string; maxAttempts: string; isActive: boolean; schema: Json; defaults: Json | undefined; command: Command | null }

const commandIn = (value: Json | undefined): Command | null => (isMembers(value) ? commandOf(JSON.parse(write(value)) as Record<string, unknown>) : null);
const digits = (value: Json | undefined): string => (value instanceof Num ? value.text : '');

export const runnableQuery = (key: string) =>
  queryOptions({
    queryKey: ['definitions', 'runnable', key],
    queryFn: async ({ signal }): Promise<Runnable> => {
      const found = parse(await unwrap(api.GET('/api/v1/definitions/{key}', { params: { path: { key } }, parseAs: 'text', signal })));
      return {
        key: textAt(found, 'key') ?? key, kind: textAt(found, 'kind'), description: textAt(found, 'description') ?? '', queue: textAt(found, 'queue') ?? '',
        priority: digits(at(found, 'priority')), maxAttempts: digits(at(found, 'max_attempts')), isActive: at(found, 'is_active') === true,
        schema: at(found, 'arg_schema') ?? true, defaults: at(found, 'default_payload'), command: commandIn(at(found, 'command')),
      };
    },
    staleTime: 15_000,
  });

/** A former job: what it was given, and whether it has ended. */
export interface Former { id: string; key: string; status: string; tenantId: string; payload: Members | undefined }

export const formerQuery = (tenant: string | undefined, id: string) =>
  queryOptions({
    queryKey: ['job', tenant, id, 'former'],
    queryFn: async ({ signal }): Promise<Former> => {
      const found = parse(await unwrap(api.GET('/api/v1/jobs/{job_id}', { params: { path: { job_id: id } }, headers: naming(tenant), parseAs: 'text', signal })));
      const payload = at(found, 'payload');
      return { id: textAt(found, 'id') ?? id, key: textAt(found, 'definition_key') ?? '', status: textAt(found, 'status') ?? '', tenantId: textAt(found, 'tenant_id') ?? '', payload: isMembers(payload) ? payload : undefined };
    },
  });

export const refusalOf = (error: ApiError): Refusal => ({ code: error.code, message: error.message, errors: error.problem.errors ?? [] });

/** The text is sent as it is: a number in it keeps its digits. */
const sending = (text: string) => ({ body: {} as never, bodySerializer: () => text });

/** The server's judgement of a body: null where it would be taken. What it cannot judge is an error. */
export const dryRunQuery = (tenant: string | undefined, text: string) =>
  queryOptions({
    queryKey: ['dry-run', tenant, text],
    queryFn: async ({ signal }): Promise<Refusal | null> => {
      try {
        await unwrap(api.POST('/api/v1/jobs', { params: { query: { dry_run: true } }, headers: naming(tenant), signal, ...sending(text) }));
        return null;
      } catch (error) {
        if (error instanceof ApiError && (error.status === 422 || error.status === 409 || error.status === 413)) return refusalOf(error);
        throw error;
      }
    },
    placeholderData: keepPreviousData, staleTime: 30_000, gcTime: 60_000,
  });

type Made = Pick<Schemas['EnqueuedJob'], 'id' | 'created'>;

/** Make the job. The same key and text again make no second one. */
export const enqueue = async (tenant: string | undefined, text: string, key: string): Promise<Made> =>
  (await unwrap(api.POST('/api/v1/jobs', { headers: { ...naming(tenant), 'Idempotency-Key': key }, ...sending(text) }))) as Made;

/** Make a job from one that has ended; without a text with its own payload. */
export const runAgain = async (tenant: string | undefined, id: string, text: string | undefined, key: string): Promise<Made> =>
  await unwrap(api.POST('/api/v1/jobs/{job_id}/run-again', { params: { path: { job_id: id } }, headers: { ...naming(tenant), 'Idempotency-Key': key }, ...(text === undefined ? {} : sending(text)) }));

/** Chance that also works where the page is served without TLS. */
export const newKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
