import { Tooltip } from '@mantine/core';
import { absolute, clock, type Instant, millis, relative, useNow, VIEWER_ZONE } from '../lib/time';

/** Relative for reading, absolute with its zone on hover and focus. What is `past` is never ahead of a clock that ticks once a second. */
export function When({ at, zone = VIEWER_ZONE, show = 'relative', past = false }: { at: Instant; zone?: string; show?: 'relative' | 'clock'; past?: boolean }) {
  const tick = useNow();
  const instant = millis(at);
  const now = past && instant !== undefined ? Math.max(tick, instant) : tick;
  if (instant === undefined || Number.isNaN(instant)) return <span className="quiet">–</span>;
  return (
    <Tooltip label={show === 'clock' ? `${relative(instant, now)} · ${absolute(instant, zone)}` : absolute(instant, zone)}>
      <time dateTime={new Date(instant).toISOString()} className="nowrap">{show === 'clock' ? clock(instant, zone) : relative(instant, now)}</time>
    </Tooltip>
  );
}
