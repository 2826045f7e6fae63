/** JSON without loss: a number keeps the text it was written with, an object keeps the order of its names. */
export class Num {
  constructor(readonly text: string) {}
}

/** What stands in the place of a value and is not JSON yet. It is written as it is, so that nothing typed is lost. */
export class Broken {
  constructor(readonly text: string) {}
}

export type Members = Map<string, Json>;
export type Json = null | boolean | string | Num | Broken | Json[] | Members;

const SPACE = /[ \t\n\r]*/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const WORDS: Record<string, Json> = { true: true, false: false, null: null };
const DEEPEST = 200;

export const isNumber = (text: string): boolean => { NUMBER.lastIndex = 0; return NUMBER.exec(text)?.[0] === text; };
export const isMembers = (value: Json | undefined): value is Members => value instanceof Map;

/** Why a text is not JSON, and where. */
export class JsonError extends Error {
  constructor(text: string, at: number, says: string) {
    const before = text.slice(0, at).split('\n');
    super(`Line ${before.length}, column ${before.at(-1)!.length + 1}: ${says}`);
  }
}

/** Read a text; throws JsonError. A name that an object has twice is refused: one of the two values would be lost. */
export function parse(text: string): Json {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const fail = (says: string): never => { throw new JsonError(text, at, says); };
  const sign = (wanted: string): boolean => { take(SPACE); if (text[at] !== wanted) return false; at += 1; return true; };

  const name = (members: Members): string => {
    take(SPACE);
    const from = at;
    const found = take(STRING);
    if (found === undefined) return fail('a name in double quotes is missing.');
    const read = JSON.parse(found) as string;
    if (members.has(read)) { at = from; return fail(`the name ${found} is there twice.`); }
    if (!sign(':')) fail('a colon is missing.');
    return read;
  };
  const object = (depth: number): Members => {
    const members: Members = new Map();
    if (sign('}')) return members;
    do { const key = name(members); members.set(key, value(depth)); } while (sign(','));
    if (!sign('}')) fail('a comma or } is missing.');
    return members;
  };
  const array = (depth: number): Json[] => {
    const items: Json[] = [];
    if (sign(']')) return items;
    do items.push(value(depth)); while (sign(','));
    if (!sign(']')) fail('a comma or ] is missing.');
    return items;
  };
  function value(depth: number): Json {
    if (depth > DEEPEST) return fail('this is nested too deep.');
    if (sign('{')) return object(depth + 1);
    if (sign('[')) return array(depth + 1);
    const string = take(STRING);
    if (string !== undefined) return JSON.parse(string) as string;
    const number = take(NUMBER);
    if (number !== undefined) return new Num(number);
    const word = take(WORD);
    if (word !== undefined) return WORDS[word]!;
    return fail(at < text.length ? 'this is not a JSON value. Text stands in double quotes.' : 'a value is missing.');
  }

  const found = value(0);
  take(SPACE);
  if (at < text.length) fail('here is more than one value.');
  return found;
}

/** Write a value; with an indent over several lines. */
export function write(value: Json, indent = 0, margin = ''): string {
  if (value instanceof Num || value instanceof Broken) return value.text;
  const isList = Array.isArray(value);
  if (!isList && !isMembers(value)) return JSON.stringify(value);
  const [open, close] = isList ? '[]' : '{}';
  const inner = margin + ' '.repeat(indent);
  const parts = isList
    ? value.map((item) => write(item, indent, inner))
    : [...value].map(([key, item]) => `${JSON.stringify(key)}: ${write(item, indent, inner)}`);
  if (!parts.length) return `${open}${close}`;
  return indent ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}` : `${open}${parts.join(', ')}${close}`;
}

/** The value with the names of its objects in order: the order means nothing in JSON. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  return isMembers(value) ? new Map([...value].map(([name, item]): [string, Json] => [name, sorted(item)]).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && !isBroken(a) && !isBroken(b) && write(sorted(a)) === write(sorted(b)));

/** Whether a part of it is not JSON yet. */
export function isBroken(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isBroken);
  return isMembers(value) ? [...value.values()].some(isBroken) : value instanceof Broken;
}

/** The same as JavaScript has it: for what needs no exact numbers. */
export const plainJson = (value: Json): unknown => JSON.parse(write(value)) as unknown;

/** A member by its path, or undefined. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  for (const name of path) value = isMembers(value) ? value.get(name) : undefined;
  return value;
}

export const textAt = (value: Json | undefined, ...path: string[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
};
