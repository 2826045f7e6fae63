/** Which jobs are selected, over several pages of one list. */
export const MOST = 200;

/** Select or leave out jobs; what is beyond the most that one call takes is not added. */
export function pick<J extends { id: string }>(selected: ReadonlyMap<string, J>, jobs: J[], isOn: boolean): Map<string, J> {
  const next = new Map(selected);
  for (const job of jobs) {
    if (!isOn) next.delete(job.id);
    else if (next.has(job.id) || next.size < MOST) next.set(job.id, job);
  }
  return next;
}

/** The rows from one to another, in either direction; the second alone if the first is not there. */
export function between<J extends { id: string }>(rows: J[], from: string | undefined, to: string): J[] {
  const end = rows.findIndex((job) => job.id === to);
  const start = rows.findIndex((job) => job.id === from);
  return start < 0 ? rows.slice(end, end + 1) : rows.slice(Math.min(start, end), Math.max(start, end) + 1);
}
