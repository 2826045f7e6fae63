/** Where a JSON pointer leads in a text, so that a fault can be told with its line. */
import { steps } from './schema';

const TOKEN = /[ \t\n\r]*(?:("(?:[^"\\]|\\.)*")|([[\]{},:])|[^\s"[\]{},:]+)/y;

/** The line of what a pointer names, or of the nearest part around it. The text is JSON. */
export function lineOf(text: string, pointer: string): number {
  const path = steps(pointer);
  let at = 0, start = 0, found = 0;
  const next = (): string => {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return '';
    at = TOKEN.lastIndex;
    start = at - (match[0].trimStart().length);
    return match[1] ?? match[2] ?? match[0].trimStart();
  };
  /** Read one value. `depth`: how many steps of the path have led here; undefined: it is not on the path. */
  const value = (token: string, depth: number | undefined): void => {
    const isOn = (name: string) => depth !== undefined && path[depth] === name;
    if (token !== '{' && token !== '[') return;
    for (let n = 0, inner = next(); inner && inner !== '}' && inner !== ']'; inner = next()) {
      if (inner === ',') continue;
      const name = token === '[' ? String(n++) : (JSON.parse(inner) as string);
      const isHere = isOn(name);
      if (isHere) found = start;
      if (token === '{') { next(); inner = next(); }
      value(inner, isHere ? depth! + 1 : undefined);
    }
  };
  value(next(), 0);
  return text.slice(0, found).split('\n').length;
}
