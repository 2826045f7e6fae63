/** The database in words: whether it is well, and what is not. */
import type { Database } from '../api/operator';
import { age, count, plural } from './time';

const OLD_SECONDS = 300;
const FULL = 0.8;
const DEAD_ROWS = 100_000; // hot tables have some thousands between two vacuums

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
export function bytes(n: number): string {
  let unit = 0;
  while (n >= 1000 && unit < UNITS.length - 1) { n /= 1000; unit++; }
  return `${unit && n < 10 ? n.toFixed(1) : Math.round(n)} ${UNITS[unit]}`;
}

/** More dead rows than living ones: a vacuum is behind, or something holds it back. */
export const isBloated = (t: Database['tables'][number]): boolean => (t.dead_rows ?? 0) > Math.max(DEAD_ROWS, t.rows_estimate ?? 0);

export interface Complaint { says: string; todo: string }

/** What is not well, the worst first, each with what to do. */
export function complaints(d: Database): Complaint[] {
  const found: Complaint[] = [];
  const bloated = d.tables.filter(isBloated).map((t) => t.name);
  if (d.schema.found < d.schema.wanted) found.push({ says: 'The schema is older than this server needs', todo: 'Run jobplane migrate.' });
  if (d.schema.found > d.schema.wanted) found.push({ says: 'The schema is newer than this server', todo: 'Deploy the server again with the newer version.' });
  if (d.connections && d.connections.used >= d.connections.most * FULL) found.push({ says: 'The connections run out', todo: `${d.connections.used} of ${d.connections.most} are used. Put a pooler in front, or raise max_connections.` });
  if ((d.oldest_transaction_seconds ?? 0) > OLD_SECONDS) found.push({ says: 'A transaction is old', todo: `It began ${age(d.oldest_transaction_seconds! * 1000)} ago and keeps dead rows from being removed. Find it in pg_stat_activity and end it.` });
  if (bloated.length) found.push({ says: `${bloated.length === 1 ? `Table ${bloated[0]}` : plural(bloated.length, 'table')} ${bloated.length === 1 ? 'has' : 'have'} more dead rows than living ones`, todo: 'Autovacuum is behind. Look for what holds it back, or vacuum by hand.' });
  return found;
}

export const storeName = (store: string): string => (store === 'sqlite' ? 'SQLite' : 'PostgreSQL');

/** One sentence of figures. */
export function databaseSum(d: Database): string {
  const parts = [`${storeName(d.store)} ${d.version}`, bytes(d.size_bytes), d.connections ? `${count(d.connections.used)} of ${plural(d.connections.most, 'connection')} used` : '', `schema ${d.schema.found}`];
  return `${parts.filter(Boolean).join(', ')}.`;
}
