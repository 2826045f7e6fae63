import type { ApiError } from '../api/client';

export interface FormErrors { top: string; fields: Record<string, string> }

/** `/backoff/base` and `name` are both names of fields. */
const fieldOf = (pointer: string): string => pointer.replace(/^\//, '').replaceAll('/', '.');

const isRefusal = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError';

/** Where each complaint of the server belongs: beside its field, or on top where the form has no such field. */
export function formErrors(error: unknown, names: ReadonlySet<string>, codes: Record<string, string> = {}): FormErrors {
  if (!isRefusal(error)) return { top: error instanceof Error ? error.message : 'That did not work.', fields: {} };
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const { pointer, detail } of error.problem.errors ?? []) {
    const name = fieldOf(pointer);
    if (names.has(name)) fields[name] = detail.endsWith('.') ? detail : `${detail}.`;
    else rest.push(detail);
  }
  const known = codes[error.code];
  if (known && names.has(known) && !Object.keys(fields).length) return { top: '', fields: { [known]: error.message } };
  return { top: rest.length || !Object.keys(fields).length ? error.message : '', fields };
}

/** What a number field says. A text that is no number goes to the server as it is, which says so. */
export function numberIn(text: string | undefined): number | null {
  const trimmed = (text ?? '').trim();
  if (trimmed === '') return null;
  return (Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed) as number;
}

/** The fields that differ from what was there: nothing else is sent. */
export function changed<T extends object>(before: T, after: T): Partial<T> {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !same(value, before[name as keyof T]))) as Partial<T>;
}
