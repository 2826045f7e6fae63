/** Search and steps within the lines of a log that are loaded. */
import type { Line } from '../api/log';

export const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type Level = (typeof LEVELS)[number];
export const toLevel = (text: string | undefined): Level => LEVELS.find((level) => level === text) ?? 'debug';

/** A line without a readable level is shown at every level: it is better to see too much. */
export const isAtLeast = (line: Pick<Line, 'level'>, least: Level): boolean => { const at = LEVELS.indexOf(line.level); return at < 0 || at >= LEVELS.indexOf(least); };

/** The places of the lines that have all of this text. */
export function hitsOf(lines: Pick<Line, 'text'>[], query: string): number[] {
  const wanted = query.trim().toLowerCase();
  return wanted ? lines.flatMap((line, i) => (line.text.includes(wanted) ? [i] : [])) : [];
}

/** The next of these places after (or before) one, and round again at the end. */
export function step(places: number[], from: number, by: 1 | -1): number | undefined {
  return by > 0 ? places.find((p) => p > from) ?? places[0] : places.findLast((p) => p < from) ?? places.at(-1);
}

/** A text in pieces: what was searched for, and what is between. */
export function split(text: string, query: string): { text: string; isHit: boolean }[] {
  const wanted = query.trim().toLowerCase(), low = text.toLowerCase();
  if (!wanted || low.length !== text.length) return [{ text, isHit: false }]; // a letter that grows when it is made small would move the marks
  const pieces = [];
  let from = 0;
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), isHit: false });
    pieces.push({ text: text.slice(at, at + wanted.length), isHit: true });
    from = at + wanted.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHit: false });
  return pieces;
}

const SILENCE_MS = 8000;

/** How long it was silent before a line, if long enough to be shown. Between attempts silence is nothing new. */
export function silenceBefore(line: Line, before: Line | undefined): number | undefined {
  if (!before || before.attempt_no !== line.attempt_no || line.ms === undefined || before.ms === undefined) return undefined;
  return line.ms - before.ms > SILENCE_MS ? line.ms - before.ms : undefined;
}
