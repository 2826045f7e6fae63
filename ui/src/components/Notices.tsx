import { dismiss, useNotices } from '../lib/notices';
import classes from './Notices.module.css';

/** What has just happened, read out by screen readers, with the way back where there is one. */
export function Notices() {
  const notices = useNotices();
  return (
    <div className={classes.notices} role="status" aria-live="polite">
      {notices.map((n) => (
        <div key={n.id} className={classes.notice} data-tone={n.tone}>
          <span>{n.text}</span>
          {n.action && <button type="button" onClick={() => { dismiss(n.id); n.action!.run(); }}>{n.action.label}</button>}
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(n.id)}>×</button>
        </div>
      ))}
    </div>
  );
}
