import { useQuery } from '@tanstack/react-query';
import { type Database as Health, databaseQuery } from '../api/operator';
import { Answer } from '../components/Answer';
import { ErrorState } from '../components/ErrorState';
import { Loading } from '../components/Loading';
import { Panel } from '../components/Panel';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { bytes, complaints, databaseSum, isBloated, storeName } from '../lib/database';
import { age, count } from '../lib/time';
import classes from './Database.module.css';

const none = <span className="quiet">–</span>;
const said = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.entries(value).map(([name, v]) => `${name.replaceAll('_', ' ')} ${name.endsWith('bytes') && typeof v === 'number' ? bytes(v) : String(v)}`).join(', ') : String(value));

function Facts({ health: d }: { health: Health }) {
  const facts: [string, string, string?][] = [
    ['Version', `${storeName(d.store)} ${d.version}`],
    ['Schema', String(d.schema.found), d.schema.found === d.schema.wanted ? 'as this server wants it' : `this server wants ${d.schema.wanted}`],
    ['Size', bytes(d.size_bytes)],
  ];
  if (d.connections) facts.push(['Connections', count(d.connections.used), `of ${count(d.connections.most)}`]);
  if (d.oldest_transaction_seconds !== null) facts.push(['Oldest transaction', age(d.oldest_transaction_seconds * 1000)]);
  if (d.journal !== null && d.journal !== undefined) facts.push(['Journal', said(d.journal)]);
  return <dl className={classes.facts}>{facts.map(([name, value, note]) => <div key={name}><dt>{name}</dt><dd>{value}{note && <small>{note}</small>}</dd></div>)}</dl>;
}

export function Database() {
  const { data: d, error, refetch } = useQuery(databaseQuery);
  if (error && !d) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!d) return <Loading what="Looking at the database" />;
  const wrong = complaints(d);
  const hasVacuum = d.store !== 'sqlite';
  return (
    <>
      <Answer title={wrong[0]?.says ?? 'The database is well'}>{wrong[0]?.todo} {databaseSum(d)}</Answer>
      <div className={classes.stack}>
        {wrong.length > 1 && <ul className={classes.wrong}>{wrong.slice(1).map((w) => <li key={w.says}><StatusBadge state="late" word={w.says} /><span className="soft">{w.todo}</span></li>)}</ul>}
        <Facts health={d} />
        <Panel title="Tables" note={hasVacuum ? 'rows are estimates' : undefined} flush>
          <TableScroll label="Tables">
            <table className={table.table}>
              <thead><tr><th>Table</th><th className="num">Rows</th><th className="num">Size</th>{hasVacuum && <><th className="num">Dead rows</th><th className={`num ${table.hidePhone}`}>Last vacuum</th></>}</tr></thead>
              <tbody>
                {d.tables.map((t) => (
                  <tr key={t.name} data-tone={isBloated(t) ? 'warn' : undefined}>
                    <td><span className="mono">{t.name}</span></td>
                    <td className="num">{t.rows_estimate === null ? none : count(Math.max(0, t.rows_estimate))}</td>
                    <td className="num">{t.size_bytes === null ? none : bytes(t.size_bytes)}</td>
                    {hasVacuum && <><td className={`num ${isBloated(t) ? 'tone-warn strong' : t.dead_rows ? '' : 'quiet'}`}>{t.dead_rows === null ? none : count(t.dead_rows)}</td><td className={`num ${table.hidePhone}`}>{t.last_vacuum_at ? <When at={t.last_vacuum_at} /> : <span className="quiet">never</span>}</td></>}
                  </tr>
                ))}
              </tbody>
            </table>
          </TableScroll>
        </Panel>
      </div>
    </>
  );
}
