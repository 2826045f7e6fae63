import { type Drift as Drifted } from '../lib/definitions';
import classes from './Drift.module.css';

/** What a person has set here, as `code → here`. */
export function Drift({ drift }: { drift: Drifted[] }) {
  return (
    <dl className={classes.drift}>
      {drift.map((d) => (
        <div key={d.field}>
          <dt>{d.name}</dt>
          <dd>{d.isSame ? <>{d.here} <span className="quiet">set here</span></> : <><del><span className="sr">in the code </span>{d.code}</del> <ins><span className="sr">here </span>{d.here}</ins></>}</dd>
        </div>
      ))}
    </dl>
  );
}
