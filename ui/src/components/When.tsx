import { Tooltip } from '@mantine/core';
import { absolute, clock, type Instant, millis, relative, useNow, VIEWER_ZONE } from '../lib/time';

/** Relative for reading, absolute with its zone on hover and focus. */
export function When({ at, zone = VIEWER_ZONE, show = 'relative' }: { at: Instant; zone?: string; show?: 'relative' | 'clock' }) {
  const now = useNow();
  const instant = millis(at);
  if (instant === undefined || Number.isNaN(instant)) return <span className="quiet">–</span>;
  return (
    <Tooltip label={show === 'clock' ? `${relative(instant, now)} · ${absolute(instant, zone)}` : absolute(instant, zone)}>
      <time dateTime={new Date(instant).toISOString()} className="nowrap">{show === 'clock' ? clock(instant, zone) : relative(instant, now)}</time>
    </Tooltip>
  );
}
