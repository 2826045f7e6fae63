/** A command as a form writes it: rows of arguments, pairs of names and values, and the schema of the payload. */
import { ApiError } from '../api/client';
import { type Argument, type Command, commandOf, hasStray, isReference, ITEM, JOB_NAMES, type Meaning, namesIn } from './command-template';
import { at, isBroken, isMembers, isSame, type Json, type Members, parse, write } from './json';
import { isUnsayable, patchOf } from './merge';
import { escape } from './schema';

export type Kind = 'text' | 'flag' | 'each';
/** One argument. `name` is the property of a flag or a list. `mayBeEmpty`: it was stored so. */
export interface Row { id: number; kind: Kind; text: string; name: string; dash: boolean; mayBeEmpty: boolean }
export interface Pair { id: number; name: string; value: string }
export interface Code { id: number; code: string; meaning: Meaning }
/** `document`: the command as JSON text, in place of the rows. */
export interface Draft { executable: string; rows: Row[]; environment: Pair[]; files: Pair[]; isStdin: boolean; codes: Code[]; schema: Json; document?: Json }

let last = 0;
const next = (): number => (last += 1);
export const newRow = (text = '', kind: Kind = 'text'): Row => ({ id: next(), kind, text, name: '', dash: false, mayBeEmpty: false });
export const newPair = (name = '', value = ''): Pair => ({ id: next(), name, value });
export const newCode = (code = '', meaning: Meaning = 'retry'): Code => ({ id: next(), code, meaning });

/** What a new command takes: nothing, until its placeholders are added. */
export const CLOSED: Json = new Map<string, Json>([['type', 'object'], ['properties', new Map()], ['required', []], ['additionalProperties', false]]);

const rowOf = (argument: Argument): Row => {
  if (typeof argument === 'string') return { ...newRow(argument), mayBeEmpty: argument === '' };
  if ('flag' in argument) return { ...newRow(argument.flag, 'flag'), name: argument.if };
  if ('each' in argument) return { ...newRow(argument.each, 'each'), name: argument.of, dash: argument.may_start_with_dash === true };
  return { ...newRow(argument.value), dash: argument.may_start_with_dash === true, mayBeEmpty: argument.value === '' };
};
const pairsOf = (values: Record<string, string>): Pair[] => Object.entries(values).map(([name, value]) => newPair(name, value));

export const draftOf = (command: Command, schema: Json): Draft => ({
  executable: command.executable, rows: command.argv.map(rowOf), environment: pairsOf(command.environment), files: pairsOf(command.files), isStdin: command.stdin === 'payload',
  codes: Object.entries(command.exit_codes).map(([code, meaning]) => newCode(code, meaning)), schema,
});

export function argumentOf(row: Row): Argument {
  const dash = row.dash ? { may_start_with_dash: true } : {};
  if (row.kind === 'flag') return { flag: row.text, if: row.name.trim() };
  if (row.kind === 'each') return { each: row.text, of: row.name.trim(), ...dash };
  return row.dash ? { value: row.text, ...dash } : row.text;
}
const valuesOf = (pairs: Pair[]): Record<string, string> => Object.fromEntries(pairs.map((p) => [p.name.trim(), p.value]));

/** The document that is sent. */
export const documentOf = (d: Draft): Command => ({
  executable: d.executable.trim(), argv: d.rows.map(argumentOf), environment: valuesOf(d.environment), files: valuesOf(d.files), stdin: d.isStdin ? 'payload' : 'closed',
  exit_codes: Object.fromEntries(d.codes.map((c) => [c.code.trim(), c.meaning])),
});

/** The command that is sent, as JSON. */
export const jsonOf = (d: Draft): Json => d.document ?? parse(JSON.stringify(documentOf(d)));

const isTexts = (value: Json | undefined): boolean => value === undefined || (isMembers(value) && [...value.values()].every((text) => typeof text === 'string'));
const FORMS = [['value'], ['value', 'may_start_with_dash'], ['flag', 'if'], ['each', 'of'], ['each', 'of', 'may_start_with_dash']];

function isArgument(value: Json): boolean {
  if (typeof value === 'string') return true;
  if (!isMembers(value) || !FORMS.some((form) => form.length === value.size && form.every((name) => value.has(name)))) return false;
  return [...value].every(([name, part]) => typeof part === (name === 'may_start_with_dash' ? 'boolean' : 'string'));
}

/** The rows of a command that was written as JSON; undefined where the form could not show all of it. */
export function formOf(document: Json, schema: Json): Draft | undefined {
  if (!isMembers(document) || isBroken(document)) return undefined;
  const [executable, argv, stdin, codes] = ['executable', 'argv', 'stdin', 'exit_codes'].map((name) => document.get(name));
  const isKnown = [...document.keys()].every((name) => ['executable', 'argv', 'environment', 'files', 'stdin', 'exit_codes'].includes(name));
  const isArgv = argv === undefined || (Array.isArray(argv) && argv.every(isArgument));
  const isMapped = isTexts(codes) && [...(isMembers(codes) ? codes.values() : [])].every((meaning) => meaning === 'retry' || meaning === 'fail' || meaning === 'succeed');
  const isRest = (executable === undefined || typeof executable === 'string') && (stdin === undefined || stdin === 'closed' || stdin === 'payload') && isTexts(document.get('environment')) && isTexts(document.get('files'));
  return isKnown && isArgv && isMapped && isRest ? draftOf(commandOf(JSON.parse(write(document)) as Record<string, unknown>)!, schema) : undefined;
}

const properties = (schema: Json): Members => { const found = at(schema, 'properties'); return isMembers(found) ? found : new Map(); };

export interface Missing { name: string; type: 'text' | 'yes or no' | 'list of texts' }

/** The names that the template uses, and that neither the schema nor the job has. */
export function missingNames(d: Draft): Missing[] {
  if (d.document !== undefined) return [];
  const known = properties(d.schema);
  const found = new Map<string, Missing['type']>();
  const need = (name: string, type: Missing['type']) => { if (name && name !== ITEM && !(name in JOB_NAMES) && !known.has(name) && !found.has(name)) found.set(name, type); };
  for (const row of d.rows) {
    if (row.kind === 'flag') need(row.name.trim(), 'yes or no');
    if (row.kind === 'each') need(row.name.trim(), 'list of texts');
    if (row.kind !== 'flag') for (const name of namesIn(row.text)) need(name, 'text');
  }
  for (const { value } of [...d.environment, ...d.files]) for (const name of namesIn(value)) need(name, 'text');
  return [...found].map(([name, type]) => ({ name, type }));
}

const PROPERTIES: Record<Missing['type'], () => Json> = {
  'text': () => new Map([['type', 'string']]),
  'yes or no': () => new Map([['type', 'boolean']]),
  'list of texts': () => new Map<string, Json>([['type', 'array'], ['items', new Map([['type', 'string']])]]),
};

/** The schema with these names: a text has to be given, a flag and a list may be left out. Undefined where it is no object. */
export function withNames(schema: Json, names: Missing[], secrets: ReadonlySet<string> = new Set()): Json | undefined {
  if (!isMembers(schema) || isBroken(schema)) return undefined;
  const given = at(schema, 'required');
  const required = [...(Array.isArray(given) ? given : []), ...names.filter((n) => n.type === 'text').map((n) => n.name)];
  const made = names.map(({ name, type }): [string, Json] => [name, secrets.has(name) ? new Map<string, Json>([['type', 'string'], ['writeOnly', true]]) : PROPERTIES[type]()]);
  return new Map<string, Json>([...schema, ['type', schema.get('type') ?? 'object'], ['properties', new Map([...properties(schema), ...made])], ...(required.length ? [['required', required] as [string, Json]] : [])]);
}

/** Names that stand alone for a file: they can only be secrets. */
export const secretNames = (d: Draft): ReadonlySet<string> => new Set(d.files.flatMap(({ value }) => namesIn(value).filter((name) => value === `{${name}}`)));

type Faults = Map<string, string>;
const twice = (names: string[]): Set<string> => new Set(names.filter((name, i) => name !== '' && names.indexOf(name) !== i));

function rowFault(row: Row): string | undefined {
  if (row.text === '' && !row.mayBeEmpty) return 'Write the argument, or remove the row.';
  if (row.kind !== 'flag' && hasStray(row.text)) return 'A brace belongs to no placeholder. Write {name} for a value, and {{ or }} for a brace.';
  if (row.kind === 'flag' && namesIn(row.text).length) return 'A flag has no placeholders.';
  if (row.kind !== 'text' && !row.name.trim()) return row.kind === 'flag' ? 'Name the property that switches it on.' : 'Name the list.';
  if (row.kind === 'each' && !namesIn(row.text).includes(ITEM)) return 'Write {item} where the item of the list goes.';
  return undefined;
}

/** What needs no server, by the pointer into the command. */
export function faultsOf(d: Draft): Faults {
  const faults: Faults = new Map();
  if (d.document !== undefined) return isMembers(d.document) && !isBroken(d.document) ? faults : faults.set('', 'The command is an object: it begins with { and ends with }.');
  if (!d.executable.trim().startsWith('/')) faults.set('/executable', 'An absolute path, like /opt/zoltag/bin/zoltag.');
  d.rows.forEach((row, i) => { const says = rowFault(row); if (says) faults.set(`/argv/${i}`, says); });
  for (const [field, pairs] of [['environment', d.environment], ['files', d.files]] as const) {
    const names = pairs.map((p) => p.name.trim());
    const again = twice(names);
    for (const { name, value } of pairs) {
      const pointer = `/${field}/${escape(name.trim())}`;
      if (!name.trim()) faults.set(pointer, 'It needs a name.');
      else if (again.has(name.trim())) faults.set(pointer, 'This name is there twice.');
      else if (field === 'files' && !isReference(value) && !/^\{[^{}]+\}$/.test(value)) faults.set(pointer, 'A reference, env:NAME or file:/path, or a secret of the payload like {api_token}.');
      else if (hasStray(value)) faults.set(pointer, 'A brace belongs to no placeholder. Write {{ or }} for a brace.');
    }
  }
  const again = twice(d.codes.map((c) => c.code.trim()));
  for (const { code } of d.codes) {
    const n = code.trim();
    if (!/^[1-9]\d{0,2}$/.test(n) || Number(n) > 255) faults.set(`/exit_codes/${n}`, 'A whole number from 1 to 255.');
    else if (again.has(n)) faults.set(`/exit_codes/${n}`, 'This code is there twice.');
  }
  return faults;
}

/** The words of a shell's line: quotes keep spaces together. */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs;
  for (const [word] of line.replaceAll('\\\n', ' ').matchAll(WORD)) words.push(word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single?: string, double?: string, escaped?: string) => single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? ''));
  return words;
}

/** A command line that somebody has at hand: its first word is the executable where it is a path. */
export function fromLine(line: string): { executable?: string; rows: Row[] } {
  const [first, ...rest] = splitLine(line);
  const isPath = first?.startsWith('/');
  return { ...(isPath ? { executable: first } : {}), rows: (isPath ? rest : splitLine(line)).map((word) => newRow(word)) };
}

export interface Place { pointer: string; detail: string }
/** What the server refuses: `faults` by the pointer into the command, `fields` by the name of another field, `command` and `schema` with the place in their text; `top` is the rest. */
export interface Refused { top: string; faults: Faults; fields: Record<string, string>; command: Place[]; schema: Place[] }
export const NOTHING: Refused = { top: '', faults: new Map(), fields: {}, command: [], schema: [] };
const FIELDS = ['key', 'description', 'queue', 'timeout_seconds', 'max_attempts'];

const FIELD_OF: Record<string, string> = { already_exists: 'key', unknown_queue: 'queue' };

/** Where the form shows a place of the command: the nearest field around it. */
function shownAt(place: string, d: Draft): string | undefined {
  const shown = ['/executable', '/stdin', ...d.rows.map((_, i) => `/argv/${i}`), ...d.environment.map((p) => `/environment/${escape(p.name.trim())}`), ...d.files.map((p) => `/files/${escape(p.name.trim())}`), ...d.codes.map((c) => `/exit_codes/${c.code.trim()}`)];
  return shown.find((each) => place === each || place.startsWith(`${each}/`));
}

export function refusedBy(error: unknown, d: Draft): Refused {
  if (!(error instanceof ApiError)) return { ...NOTHING, top: error instanceof Error ? error.message : 'That did not work.' };
  const refused: Refused = { top: '', faults: new Map(), fields: {}, command: [], schema: [] };
  const rest: string[] = [];
  for (const { pointer, detail } of error.problem.errors ?? []) {
    const [, part = ''] = pointer.split('/');
    const place = pointer.slice(part.length + 1);
    const shown = part === 'command' ? shownAt(place, d) : undefined;
    if (part === 'command' && d.document !== undefined) refused.command.push({ pointer: place, detail });
    else if (shown) refused.faults.set(shown, detail);
    else if (part === 'arg_schema') refused.schema.push({ pointer: place, detail });
    else if (FIELDS.includes(part)) refused.fields[part] = detail;
    else rest.push(detail);
  }
  const field = FIELD_OF[error.code];
  if (field) return { ...refused, fields: { ...refused.fields, [field]: error.message } };
  const isPlaced = refused.faults.size > 0 || refused.command.length > 0 || refused.schema.length > 0 || Object.keys(refused.fields).length > 0;
  return { ...refused, top: rest.join(' ') || (isPlaced ? '' : error.message) };
}

const object = (entries: [string, string][]): string => `{${entries.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(', ')}}`;

/** The text of the request that makes a definition: the numbers of the schema keep their digits. */
export const newText = (d: Draft, fields: Record<string, unknown>): string =>
  object([...Object.entries(fields).map(([name, value]): [string, string] => [name, JSON.stringify(value)]), ['command', write(jsonOf(d))], ['arg_schema', write(d.schema)]]);

/** Whether a change cannot say the new schema. */
export const isUnsayableSchema = (before: Draft, after: Draft): boolean => isUnsayable(before.schema, after.schema);

/** The text of the request that changes one; undefined where nothing is changed. A command is replaced whole, a schema is merged. */
export function changeText(before: Draft, after: Draft): string | undefined {
  const entries: [string, string][] = [];
  const made = jsonOf(after);
  if (!isSame(jsonOf(before), made)) entries.push(['command', write(made)]);
  if (!isSame(before.schema, after.schema)) entries.push(['arg_schema', write(isMembers(before.schema) && isMembers(after.schema) ? patchOf(before.schema, after.schema) : after.schema)]);
  return entries.length ? object(entries) : undefined;
}
