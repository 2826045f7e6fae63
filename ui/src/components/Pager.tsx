import { LinkButton } from './LinkButton';
import classes from './Pager.module.css';

/** Pages by cursor: on to the next, back to the first; the browser's own back goes one back. */
export function Pager({ cursor, next, what }: { cursor: string | undefined; next: string | null | undefined; what: string }) {
  if (!cursor && !next) return null;
  const to = (at: string | undefined) => ((s: Record<string, unknown>) => ({ ...s, cursor: at })) as never;
  return (
    <nav className={classes.pager} aria-label={`Pages of ${what}`}>
      {cursor && <LinkButton to="." search={to(undefined)}>First page</LinkButton>}
      {next && <LinkButton to="." search={to(next)}>Next page</LinkButton>}
    </nav>
  );
}
