import createClient from 'openapi-fetch';
import type { components, paths } from './schema.gen';

export type Schemas = components['schemas'];
export type Job = Schemas['Job'];
export type Attempt = Schemas['Attempt'];
export type Definition = Schemas['Definition'];
export type Problem = Schemas['CurrentProblem'];
export type Me = Schemas['MeOut'];

/** The path that the server is served under, without its last slash. */
export const ROOT = new URL(document.baseURI).pathname.replace(/\/$/, '');
export const API = `${ROOT}/api/v1`;

export const api = createClient<paths>({ baseUrl: ROOT, credentials: 'same-origin' });

/** The headers of a request for one tenant. A caller that has a tenant of its own names none. */
export const naming = (tenant: string | undefined): Record<string, string> => (tenant ? { 'X-Jobplane-Tenant': tenant } : {});

interface ProblemDocument { title?: string; detail?: string; code?: string; request_id?: string; errors?: { pointer: string; code: string; detail: string }[]; retry_after_seconds?: number }

/** An answer that is not what was asked for, in the server's own words. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly problem: ProblemDocument) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.name = 'ApiError';
  }

  get code(): string { return this.problem.code ?? `http_${this.status}`; }
}

/** The server could not be reached. */
export class Unreachable extends Error {
  constructor() {
    super('The server cannot be reached.');
    this.name = 'Unreachable';
  }
}

const told = new Set<() => void>();
/** Call `tell` when the server says that nobody is signed in. */
export function onSignedOut(tell: () => void): () => void {
  told.add(tell);
  return () => told.delete(tell);
}

/** The data of an answer; throws ApiError or Unreachable. */
export async function unwrap<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let answer: { data?: T; error?: unknown; response: Response };
  try {
    answer = await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable();
  }
  if (answer.response.ok) return answer.data as T;
  if (answer.response.status === 401) for (const tell of told) tell();
  throw new ApiError(answer.response.status, typeof answer.error === 'object' && answer.error ? answer.error : {});
}
