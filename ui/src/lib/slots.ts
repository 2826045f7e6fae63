const MOST = 16; // squares in a row of the table

/** The squares of a worker: one for each slot, or one for several. All are on only if all slots are busy, none only if none is. */
export function squaresOf(slots: number, busy: number): { all: number; on: number } {
  const all = Math.min(slots, MOST);
  if (busy <= 0 || !all) return { all, on: 0 };
  if (busy >= slots) return { all, on: all };
  return { all, on: Math.min(Math.max(1, Math.round((busy / slots) * all)), all - (all > 1 ? 1 : 0)) };
}
