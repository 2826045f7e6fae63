import { IconSelector } from '@tabler/icons-react';
import { type ComponentProps, type ComponentType, useRef, useState } from 'react';
import { useCaller } from '../lib/caller';
import classes from './TenantSwitcher.module.css';

export function TenantButton(props: ComponentProps<'button'>) {
  const { tenant, whose } = useCaller();
  return (
    <button type="button" {...props} className={classes.button} data-acting={tenant ? true : undefined}>
      <Mark name={tenant} />
      <span className={classes.text}>
        <span className="sr">Tenant: </span>
        <span className={classes.name}>{whose}</span>
        <span className={classes.mode}>{tenant ? 'acting, on record' : 'read-only'}</span>
      </span>
      <IconSelector size={15} stroke={1.5} aria-hidden="true" />
    </button>
  );
}

const Mark = ({ name }: { name: string | undefined }) => <span className={classes.mark} aria-hidden="true" data-letter={name ? name.slice(0, 1).toUpperCase() : '∗'} />;

/** Whose data you see, always in sight. Without a tenant a super admin reads everything and changes nothing. */
export function TenantSwitcher() {
  const { isOperator, whose, me } = useCaller();
  const [Menu, setMenu] = useState<ComponentType<{ open: boolean; focus: boolean }>>();
  const wanted = useRef(false);
  const focused = useRef(false);
  if (!isOperator) {
    return (
      <div className={classes.button} data-fixed>
        <Mark name={whose} />
        <span className={classes.text}><span className="sr">Tenant: </span><span className={classes.name}>{whose}</span>{me.tenant && me.tenant !== whose && <span className={classes.mode}>{me.tenant}</span>}</span>
      </div>
    );
  }
  const load = () => void import('./TenantMenu').then((m) => setMenu(() => m.TenantMenu));
  if (Menu) return <Menu open={wanted.current} focus={focused.current} />;
  return <TenantButton aria-haspopup="listbox" onPointerEnter={load} onFocus={() => { focused.current = true; load(); }} onBlur={() => { focused.current = false; }} onClick={() => { wanted.current = true; load(); }} />;
}
