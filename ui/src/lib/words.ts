/** The words of a search, as the server reads them: letters and digits, and each stands for all words that begin with it. */
export const wordsOf = (query: string): string[] => query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A text in pieces, of which those that the search has found are marked. */
export function marked(text: string, query: string): { text: string; isFound: boolean }[] {
  const parts = [...new Set([query.trim(), ...wordsOf(query)])].filter((part) => /[\p{L}\p{N}]/u.test(part)).sort((a, b) => b.length - a.length);
  if (!parts.length) return [{ text, isFound: false }];
  const pieces: { text: string; isFound: boolean }[] = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.map(escape).join('|')})`, 'giu'))) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), isFound: false });
    pieces.push({ text: found[0], isFound: true });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isFound: false });
  return pieces;
}
