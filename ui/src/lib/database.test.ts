import { expect, test } from 'vitest';
import type { Database } from '../api/operator';
import { bytes, complaints } from './database';

const WELL: Database = { store: 'postgresql', version: '18.1', schema: { found: 3, wanted: 3 }, size_bytes: 1e9, connections: { used: 10, most: 100 }, oldest_transaction_seconds: 1, tables: [{ name: 'jobs', rows_estimate: 5, size_bytes: 1, dead_rows: 9000, last_vacuum_at: null }] };
const says = (more: Partial<Database>) => complaints({ ...WELL, ...more }).map((c) => c.says);

test('a database that is well has no complaint', () => {
  expect(says({})).toEqual([]);
  expect(says({ store: 'sqlite', connections: null, oldest_transaction_seconds: null })).toEqual([]);
});

test('each fault has its sentence, the schema first', () => {
  expect(says({ connections: { used: 80, most: 100 }, schema: { found: 2, wanted: 3 } })).toEqual(['The schema is older than this server needs', 'The connections run out']);
  expect(says({ schema: { found: 4, wanted: 3 } })).toEqual(['The schema is newer than this server']);
  expect(says({ oldest_transaction_seconds: 301 })).toEqual(['A transaction is old']);
  expect(says({ tables: [{ ...WELL.tables[0]!, dead_rows: 200_000 }] })).toEqual(['Table jobs has more dead rows than living ones']);
  expect(says({ tables: [{ ...WELL.tables[0]!, dead_rows: 200_000, rows_estimate: 1e6 }] })).toEqual([]);
});

test('sizes have one unit', () => {
  expect([512, 1500, 42_000_000, 1_284_000_000].map(bytes)).toEqual(['512 B', '1.5 kB', '42 MB', '1.3 GB']);
});
