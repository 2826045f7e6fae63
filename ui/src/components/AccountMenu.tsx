import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, unwrap } from '../api/client';
import { useCaller } from '../lib/caller';
import { notify } from '../lib/notices';
import { Dialog } from './Dialog';
import { When } from './When';
import classes from './AccountMenu.module.css';

/** Who is signed in, until when, and two ways out. */
export function AccountMenu({ onClose }: { onClose: () => void }) {
  const { me, whose } = useCaller();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async (everywhere: boolean) => {
    try {
      await unwrap(everywhere ? api.DELETE('/api/v1/sessions') : api.DELETE('/api/v1/session'));
    } catch (error) {
      notify((error as Error).message, { tone: 'bad' });
      return;
    }
    await navigate({ to: '/sign-in' });
    client.clear();
  };
  return (
    <Dialog label="Account" onClose={onClose}>
      <div className={classes.account}>
        <h2>{me.name || me.id}</h2>
        <dl>
          <div><dt>Role</dt><dd>{me.role.replace('_', ' ')}</dd></div>
          <div><dt>Sees</dt><dd>{whose}</dd></div>
          <div><dt>Signed in with</dt><dd>{me.type} <code>{me.id}</code></dd></div>
          {me.session && <div><dt>Signed in</dt><dd><When at={me.session.created_at} /></dd></div>}
          {me.session && <div><dt>Ends</dt><dd><When at={me.session.expires_at} /></dd></div>}
          <div><dt>Server</dt><dd>jobplane {me.version}</dd></div>
        </dl>
        <div className={classes.ways}>
          <Button onClick={() => void leave(false)}>Sign out</Button>
          <Button onClick={() => void leave(true)}>Sign out everywhere</Button>
        </div>
      </div>
    </Dialog>
  );
}
