/** Rows that stay where they are while one reads them. */
interface Found<J> { items: J[]; next_cursor: string | null }

export interface Merged<J> {
  /** The rows that are shown, each as it is now. */
  rows: J[];
  /** Those that the list does not have any more: they match no longer. */
  left: ReadonlySet<string>;
  /** How many have come above the shown ones; with `isMore`, at least so many. */
  newer: number;
  isMore: boolean;
  /** The row right above the shown ones: the page below it has them all, however many come. */
  anchor?: string;
}

/**
 * Bring what is shown up to date without moving a row.
 *
 * `fresh` is the page as it is now. New rows push old ones out of it: `below`, the page below the anchor, has those.
 */
export function merge<J extends { id: string }>(shown: J[], fresh: Found<J>, below?: Found<J>): Merged<J> {
  const known = new Map([...fresh.items, ...(below?.items ?? [])].map((job) => [job.id, job]));
  const old = new Set(shown.map((job) => job.id));
  const reach = shown.findLastIndex((job) => known.has(job.id));
  const isWhole = (below ?? fresh).next_cursor === null;
  const first = fresh.items.findIndex((job) => old.has(job.id));
  const last = fresh.items.findLastIndex((job) => old.has(job.id));
  const above = first < 0 ? fresh.items : fresh.items.slice(0, last).filter((job) => !old.has(job.id));
  return {
    rows: shown.map((job) => known.get(job.id) ?? job),
    left: new Set(shown.filter((job, i) => !known.has(job.id) && (i < reach || isWhole)).map((job) => job.id)),
    newer: above.length,
    isMore: first < 0 && fresh.next_cursor !== null,
    anchor: first > 0 ? fresh.items[first - 1]!.id : undefined,
  };
}
