import type { ReactNode } from 'react';
import classes from './RowActions.module.css';

/** On the phone a row goes on below itself: what does not fit beside the figures, and what can be done. The row above has `above`. */
export function Below({ tone, says, children }: { tone: 'bad' | 'warn' | undefined; says?: ReactNode; children: ReactNode }) {
  return (
    <tr className={classes.below} data-tone={tone}>
      <td colSpan={9}>{says}<div className={classes.line}>{children}</div></td>
    </tr>
  );
}

export const { above, actions: rowActions } = classes;
