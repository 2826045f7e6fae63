import table from './DataTable.module.css';
import { StatusBadge } from './StatusBadge';
import { When } from './When';

/** Since when something is paused, by whom, and why. */
export function Paused({ of }: { of: { paused_at: string | null; paused_by: string | null; paused_reason: string | null } }) {
  return (
    <>
      <StatusBadge state="held" word="Paused" /> <span className="quiet"><When at={of.paused_at} /></span>
      <span className={table.sub}>{of.paused_by || 'somebody'}{of.paused_reason ? `: ${of.paused_reason}` : ', without a reason'}</span>
    </>
  );
}
