/** The command of a definition in words: what each argument becomes, and where values come from. */

export type Argument = string | { value: string; may_start_with_dash?: boolean } | { flag: string; if: string } | { each: string; of: string; may_start_with_dash?: boolean };
export type Meaning = 'retry' | 'fail' | 'succeed';
export interface Command { executable: string; argv: Argument[]; environment: Record<string, string>; files: Record<string, string>; stdin: 'closed' | 'payload'; exit_codes: Record<string, Meaning> }

const EMPTY: Command = { executable: '', argv: [], environment: {}, files: {}, stdin: 'closed', exit_codes: {} };

/** A stored command with its defaults; null where a definition has none. */
export const commandOf = (document: Record<string, unknown> | null | undefined): Command | null => (document ? { ...EMPTY, ...document } : null);

/** Values that come from the job, never from the payload. */
export const JOB_NAMES: Record<string, string> = { tenant_id: 'the tenant of the job', job_id: 'the job', attempt_no: 'the number of the attempt' };
export const ITEM = 'item';

/** A part of a text: literal, or the name of a placeholder. A brace that belongs to no placeholder is stray. */
export interface Piece { text: string; name?: string; isStray?: true }
const BRACES = /\{\{|\}\}|\{([^{}]+)\}|[{}]/g;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  const literal = (part: string) => {
    const last = found.at(-1);
    if (!part) return;
    if (last && last.name === undefined && !last.isStray) last.text += part;
    else found.push({ text: part });
  };
  let from = 0;
  for (const match of text.matchAll(BRACES)) {
    literal(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) found.push({ text: match[0], name: match[1] });
    else if (match[0].length === 2) literal(match[0][0]!);
    else found.push({ text: match[0], isStray: true });
  }
  literal(text.slice(from));
  return found;
}

export const namesIn = (text: string): string[] => [...new Set(pieces(text).flatMap((p) => (p.name === undefined ? [] : [p.name])))];
export const hasStray = (text: string): boolean => pieces(text).some((p) => p.isStray);

interface Property { type?: unknown; writeOnly?: unknown; format?: unknown }
interface Schema { properties?: Record<string, Property>; required?: unknown }
const schemaOf = (schema: unknown): Schema => (typeof schema === 'object' && schema !== null ? schema : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Whether a payload may leave the property out, as far as the top level of the schema says. */
export function mayBeAbsent(name: string, schema: unknown): boolean {
  if (name in JOB_NAMES || name === ITEM) return false;
  const { properties, required } = schemaOf(schema);
  return !list(required).includes(name) || list(properties?.[name]?.type).includes('null');
}

const either = (names: string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
const withoutSaid = (text: string, schema: unknown): string => {
  const optional = namesIn(text).filter((name) => mayBeAbsent(name, schema));
  return optional.length ? `left out without ${either(optional)}` : '';
};

/** The text of an argument, with its placeholders. */
export const textOf = (argument: Argument): string => (typeof argument === 'string' ? argument : 'flag' in argument ? argument.flag : 'each' in argument ? argument.each : argument.value);

/** When an argument is there, and how often; empty for one that always is. */
export function argumentSaid(argument: Argument, schema: unknown): string {
  if (typeof argument === 'string') return withoutSaid(argument, schema);
  if ('flag' in argument) return `only if ${argument.if} is true`;
  const dash = argument.may_start_with_dash ? 'may begin with a dash' : '';
  const when = 'each' in argument ? `once for each of ${argument.of}` : withoutSaid(argument.value, schema);
  return [when, dash].filter(Boolean).join('; ');
}

/** A part of the synopsis: `{name}` stands out, and what may be left out is in brackets. */
export interface Word { argument: Argument; isOptional: boolean; isRepeated: boolean }

/** An argv template in one line, as the manual of a program writes it. */
export const synopsis = (command: Pick<Command, 'argv'>, schema: unknown): Word[] =>
  command.argv.map((argument) => {
    const isRepeated = typeof argument !== 'string' && 'each' in argument;
    return { argument, isRepeated, isOptional: isRepeated || (typeof argument !== 'string' && 'flag' in argument) || withoutSaid(textOf(argument), schema) !== '' };
  });

const ENV = /^env:[A-Za-z_][A-Za-z0-9_]*$/;
const FILE = /^file:\/.*[^/]$/;
export const isReference = (text: string): boolean => ENV.test(text) || FILE.test(text);

export const isSecret = (name: string, schema: unknown): boolean => {
  const property = schemaOf(schema).properties?.[name];
  return property?.writeOnly === true || property?.format === 'password';
};

/** Where the value of a variable or a file comes from. */
export function sourceSaid(text: string, schema: unknown): string {
  if (ENV.test(text)) return "a secret from the worker's environment";
  if (FILE.test(text)) return "a secret from a file on the worker's machine";
  const names = namesIn(text);
  if (names.length === 1 && isSecret(names[0]!, schema)) return 'a secret that the payload names by reference';
  if (names.length && names.every((name) => name in JOB_NAMES)) return 'from the job';
  const without = withoutSaid(text, schema);
  return names.length ? `from the payload${without ? `; ${without}` : ''}` : '';
}

const MEANINGS: Record<Meaning, string> = { retry: 'failed, with another attempt', fail: 'failed for good, no other attempt', succeed: 'succeeded' };
export const meaningSaid = (meaning: Meaning): string => MEANINGS[meaning] ?? meaning;

/** Every exit code with what it means: 0 first, the others last. */
export const exitCodes = (command: Pick<Command, 'exit_codes'>): [code: string, says: string][] => [
  ['0', meaningSaid('succeed')],
  ...Object.entries(command.exit_codes).map(([code, meaning]): [string, string] => [code, meaningSaid(meaning)]),
  ['others', meaningSaid('retry')],
];
