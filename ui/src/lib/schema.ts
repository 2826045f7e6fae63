/** A form from a JSON Schema: which control each part gets, what it begins with, and where a fault belongs. */
import { at, Broken, isMembers, isNumber, isSame, type Json, type Members, Num, textAt } from './json';

export type Kind = 'object' | 'array' | 'text' | 'number' | 'boolean' | 'choice' | 'raw';

export interface Field {
  kind: Kind;
  /** Its schema, with references followed. */
  schema: Members;
  title?: string;
  description?: string;
  isNullable: boolean;
  choices: Json[];
  format?: string;
  isInteger: boolean;
  fallback?: Json;
  /** Why it is raw JSON. */
  note?: string;
}

/** What no control of ours can show: such a part is written as JSON. */
const BEYOND = ['anyOf', 'oneOf', 'allOf', 'patternProperties', 'prefixItems', 'if', 'dependentSchemas', '$dynamicRef', '$ref'];
const MOST_ITEMS = 50;
const MOST_STEPS = 20;
export const DEEPEST = 6;

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const isNull = (schema: Json): boolean => isMembers(schema) && (schema.get('type') === 'null' || schema.get('const') === null);
const unescape = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
export const escape = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
export const steps = (pointer: string): string[] => pointer.split('/').slice(1).map(unescape);

function percentDecoded(text: string): string {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** The schema that a local reference names. */
function refer(root: Json, ref: Json): Json | undefined {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined;
  return at(root, ...steps(percentDecoded(ref.slice(1))));
}

/** What the schema says itself wins over what it takes from elsewhere. */
const merged = (own: Members, without: string, more: Members): Members => new Map([...more, ...[...own].filter(([name]) => name !== without)]);

/** Follow references, and unwrap "this or null" and an "all of" with one part. */
function unwrap(root: Json, schema: Members): { schema: Members; isNullable: boolean; note?: string } {
  let isNullable = false;
  for (let n = 0; n < MOST_STEPS; n++) {
    const ref = schema.get('$ref');
    const word = (['anyOf', 'oneOf', 'allOf'] as const).find((w) => schema.has(w));
    if (ref !== undefined) {
      const found = refer(root, ref);
      if (!isMembers(found)) return { schema, isNullable, note: 'Its schema refers to another document.' };
      schema = merged(schema, '$ref', found);
    } else if (word) {
      const branches = list(schema.get(word));
      const rest = word === 'allOf' ? branches : branches.filter((b) => !isNull(b));
      const [only] = rest;
      if (rest.length !== 1 || !isMembers(only)) break;
      isNullable ||= rest.length < branches.length;
      schema = merged(schema, word, only);
    } else {
      return { schema, isNullable };
    }
  }
  return { schema, isNullable };
}

function kindOf(schema: Members, type: Json | undefined): { kind: Kind; note?: string } {
  const beyond = BEYOND.find((word) => schema.has(word));
  if (beyond) return { kind: 'raw', note: beyond === 'anyOf' || beyond === 'oneOf' ? 'It takes one of several shapes. Write it as JSON.' : `Its schema has ${beyond}. Write it as JSON.` };
  if (schema.has('enum') || schema.has('const')) return { kind: 'choice' };
  switch (type) {
    case 'object': return isMembers(schema.get('properties')) ? { kind: 'object' } : { kind: 'raw', note: 'An object with names of your own, as JSON.' };
    case 'array': return schema.has('items') ? { kind: 'array' } : { kind: 'raw', note: 'A list, as JSON.' };
    case 'string': return { kind: 'text' };
    case 'integer': case 'number': return { kind: 'number' };
    case 'boolean': return { kind: 'boolean' };
    default: return { kind: 'raw', note: 'Any JSON value.' };
  }
}

function typesOf(schema: Members): Json[] {
  const type = schema.get('type');
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  return schema.has('properties') ? ['object'] : schema.has('items') ? ['array'] : [];
}

/** Which control a schema gets. */
export function describe(root: Json, given: Json | undefined): Field {
  const { schema, isNullable, note } = unwrap(root, isMembers(given) ? given : new Map());
  const types = typesOf(schema);
  const rest = types.filter((t) => t !== 'null');
  const found = note ? { kind: 'raw' as const, note } : kindOf(schema, rest.length === 1 ? rest[0] : undefined);
  const choices = schema.has('const') ? [schema.get('const')!] : list(schema.get('enum'));
  return {
    ...found, schema,
    title: textAt(schema, 'title'), description: textAt(schema, 'description'), format: textAt(schema, 'format'),
    isNullable: isNullable || types.includes('null') || choices.includes(null),
    choices: choices.filter((c) => c !== null),
    isInteger: rest[0] === 'integer',
    fallback: schema.get('default'),
  };
}

/** The names of an object's schema with their schemas, in order; then those that only the value has. */
export function namesOf(field: Field, value: Members): { name: string; schema: Json | undefined; isRequired: boolean }[] {
  const properties = at(field.schema, 'properties');
  const known = isMembers(properties) ? properties : new Map<string, Json>();
  const required = new Set(list(field.schema.get('required')));
  return [...known.keys(), ...[...value.keys()].filter((name) => !known.has(name))].map((name) => ({ name, schema: known.get(name), isRequired: required.has(name) }));
}

/** The control for a value that is there: one that the value does not suit shows it as JSON, and keeps it. */
export function suits(field: Field, value: Json | undefined, depth: number): Kind {
  if (value === undefined || (value === null && field.isNullable)) return depth > DEEPEST ? 'raw' : field.kind;
  const fits = {
    object: () => isMembers(value) && depth <= DEEPEST,
    array: () => Array.isArray(value) && value.length <= MOST_ITEMS && depth <= DEEPEST,
    text: () => typeof value === 'string',
    number: () => value instanceof Num || (typeof value === 'string' && !isNumber(value)),
    boolean: () => typeof value === 'boolean',
    choice: () => field.choices.some((choice) => isSame(choice, value)),
    raw: () => true,
  }[field.kind];
  return fits() ? field.kind : 'raw';
}

/** What a field holds before anybody has touched it; undefined: it is not sent. */
export function begin(root: Json, given: Json | undefined, depth = 0): Json | undefined {
  const field = describe(root, given);
  if (field.fallback !== undefined && field.fallback !== null) return field.fallback;
  if (depth > DEEPEST) return undefined;
  if (field.kind === 'object') {
    const value: Members = new Map();
    for (const { name, schema, isRequired } of namesOf(field, value)) {
      const first = isRequired ? begin(root, schema, depth + 1) : describe(root, schema).fallback;
      if (first !== undefined && first !== null) value.set(name, first);
    }
    return value;
  }
  if (field.isNullable) return undefined;
  if (field.kind === 'array') {
    const least = field.schema.get('minItems');
    const item = least instanceof Num && Number(least.text) > 0 ? begin(root, field.schema.get('items'), depth + 1) : undefined;
    return item === undefined ? [] : [item];
  }
  if (field.kind === 'boolean') return false;
  return field.choices.length === 1 ? field.choices[0] : undefined;
}

/** The payload that a form begins with: the schema's defaults, and the definition's own over them. */
export function firstPayload(schema: Json, defaults: Json | undefined): Members {
  const first = describe(schema, schema).kind === 'object' ? begin(schema, schema) : undefined;
  return new Map([...(isMembers(first) ? first : []), ...(isMembers(defaults) ? defaults : [])]);
}

/** The text of a number field as it is typed: a number as soon as it is one, text for the server to refuse before. */
export const typedNumber = (text: string): Json | undefined => (text.trim() === '' ? undefined : isNumber(text.trim()) ? new Num(text.trim()) : text);

export const shownNumber = (value: Json | undefined): string => (value instanceof Num || value instanceof Broken ? value.text : typeof value === 'string' ? value : '');

/** Whether a Python function takes the JSON value as it is. An enum, a model, a date or a set would have to be made first. */
function isPlain(schema: Json | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(isPlain);
  if (!isMembers(schema)) return true;
  const branches = [...list(schema.get('anyOf')), ...list(schema.get('oneOf'))].filter((b) => !isNull(b));
  return branches.length < 2 && !['$ref', 'format', 'prefixItems', 'uniqueItems', 'allOf'].some((word) => schema.has(word)) && [...schema.values()].every(isPlain);
}

export const isPlainCall = (schema: Json, payload: Members): boolean =>
  describe(schema, schema).kind === 'object' && [...payload.keys()].every((name) => isMembers(at(schema, 'properties', name)) && isPlain(at(schema, 'properties', name)));

export interface Fault { pointer: string; code: string; detail: string }

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
const REQUIRED = /^("(?:[^"\\]|\\.)*") is a required property\.?$/;
const EXTRA = /^Additional properties are not allowed \((.*) (?:was|were) unexpected\)\.?$/;

/** A fault at each field that it is about: the server names the object where a member is missing or too many. */
function spread(fault: Fault): Fault[] {
  const missing = REQUIRED.exec(fault.detail)?.[1];
  if (missing) return [{ pointer: `${fault.pointer}/${escape(JSON.parse(missing) as string)}`, code: 'required', detail: 'This is required.' }];
  const extra = EXTRA.exec(fault.detail)?.[1];
  if (extra) return [...extra.matchAll(/'([^']*)'/g)].map(([, name]) => ({ pointer: `${fault.pointer}/${escape(name!)}`, code: fault.code, detail: 'The schema has no such name.' }));
  return [{ ...fault, detail: sentence(fault.detail) }];
}

export interface Refusal { code: string; message: string; errors: Fault[] }
export interface Placed { payload: Fault[]; options: Fault[]; top: string[] }

/** The fields of a job that a code is about, where the server gives no pointer. */
const ABOUT: Record<string, string> = { unknown_queue: '/queue', invalid_queue: '/queue' };

/** Codes whose pointers begin in the payload, not in the body. */
export const PAYLOAD_CODES: ReadonlySet<string> = new Set(['invalid_payload', 'secret_in_payload']);

/** Tell apart what is wrong with the payload, with an option, and with neither. */
export function place(refusal: Refusal): Placed {
  const placed: Placed = { payload: [], options: [], top: [] };
  if (!refusal.errors.length) {
    const about = ABOUT[refusal.code];
    if (about) placed.options.push({ pointer: about, code: refusal.code, detail: refusal.message });
    else placed.top.push(refusal.message);
  }
  for (const fault of refusal.errors) {
    const inBody = /^\/payload(?=\/|$)/.test(fault.pointer);
    if (PAYLOAD_CODES.has(refusal.code)) placed.payload.push(...spread(fault));
    else if (inBody) placed.payload.push(...spread({ ...fault, pointer: fault.pointer.slice('/payload'.length) }));
    else if (fault.pointer.startsWith('/') && fault.pointer !== '/definition_key') placed.options.push({ ...fault, detail: sentence(fault.detail) });
    else placed.top.push(sentence(fault.detail));
  }
  return placed;
}

/** The pointer of the field on the page that shows this place: itself, or the one that holds it as JSON. */
export function owner(root: Json, schema: Json | undefined, value: Json | undefined, pointer: string): string {
  let here = '';
  let found = value;
  let given = schema;
  for (const [depth, step] of steps(pointer).entries()) {
    const field = describe(root, given);
    const kind = suits(field, found, depth);
    if (kind === 'object' && isMembers(found)) {
      const next = namesOf(field, found).find((n) => n.name === step);
      if (!next) return here;
      given = next.schema;
      found = found.get(step);
    } else if (kind === 'array' && Array.isArray(found) && /^\d+$/.test(step) && Number(step) < found.length) {
      given = field.schema.get('items');
      found = found[Number(step)];
    } else {
      return here;
    }
    here += `/${escape(step)}`;
  }
  return here;
}
