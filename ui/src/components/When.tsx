import { Tooltip } from '@mantine/core';
import { absolute, clock, type Instant, millis, relative, useClocked, VIEWER_ZONE } from '../lib/time';

/** Relative for reading, absolute with its zone on hover and focus. What is `past` is never ahead of a clock that ticks once a second. */
export function When({ at, zone = VIEWER_ZONE, show = 'relative', past = false }: { at: Instant; zone?: string; show?: 'relative' | 'clock'; past?: boolean }) {
  const instant = millis(at);
  const told = useClocked((now) => (instant === undefined ? '' : relative(instant, past ? Math.max(now, instant) : now)));
  if (instant === undefined || Number.isNaN(instant)) return <span className="quiet">–</span>;
  return (
    <Tooltip label={show === 'clock' ? `${told} · ${absolute(instant, zone)}` : absolute(instant, zone)}>
      <time dateTime={new Date(instant).toISOString()} className="nowrap">{show === 'clock' ? clock(instant, zone) : told}</time>
    </Tooltip>
  );
}
