import { useKeys } from './keys';

/** j and k move along the rows of a table by their links, which Enter opens. */
export function useRows(): void {
  const move = (by: number) => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}
