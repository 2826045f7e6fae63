/** How a JSON document folds: what is open at first, and how much of a long list is shown at once. */
import { Exact } from './exact';

export const MASK = '***';
export const PORTION = 100;
const OPEN_DEPTH = 2;
const OPEN_SIZE = 20;
const LONGEST = 2000;

export type Shape = 'object' | 'array' | 'text' | 'masked' | 'null' | 'other';

export function shapeOf(value: unknown): Shape {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return value instanceof Exact ? 'other' : 'object';
  return typeof value === 'string' ? (value === MASK ? 'masked' : 'text') : 'other';
}

export const entriesOf = (value: unknown): [name: string, value: unknown][] => (typeof value === 'object' && value !== null && !(value instanceof Exact) ? Object.entries(value) : []);

/** `3 fields`, `1 item`. */
export const sizeOf = (value: unknown): string => {
  const n = entriesOf(value).length;
  return `${n.toLocaleString('en-US')} ${Array.isArray(value) ? 'item' : 'field'}${n === 1 ? '' : 's'}`;
};

/** The first levels are open, unless they are long. */
export const isOpenAtFirst = (value: unknown, depth: number): boolean => depth < OPEN_DEPTH && entriesOf(value).length <= OPEN_SIZE;

/** A text as far as it is shown at first, and how many characters are left. */
export const beginning = (text: string): { shown: string; left: number } => (text.length > LONGEST + 200 ? { shown: text.slice(0, LONGEST), left: text.length - LONGEST } : { shown: text, left: 0 });

/** Whether anything in it is hidden. */
export const hasMasked = (value: unknown): boolean => (typeof value === 'string' ? value.includes(MASK) : entriesOf(value).some(([, item]) => hasMasked(item)));
