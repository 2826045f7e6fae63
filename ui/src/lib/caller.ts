import { useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Me } from '../api/client';
import { meQuery } from '../api/queries';

export interface Caller {
  me: Me;
  isOperator: boolean;
  /** The tenant that a super admin has chosen, by its slug: it goes into every request. Undefined: all, or one's own. */
  tenant: string | undefined;
  /** Whose data the page shows, in words. */
  whose: string;
  /** Whether the role reaches. */
  may: (operation: string) => boolean;
  /** Whether it can be done here and now: a super admin has to choose a tenant to change a tenant's things. */
  mayAct: (operation: string) => boolean;
}

/** Who looks at the page, and for whom. */
export function useCaller(): Caller {
  const { data: me } = useSuspenseQuery(meQuery);
  const search = useSearch({ strict: false }) as { tenant?: string };
  const isOperator = me.role === 'super_admin';
  const tenant = isOperator ? search.tenant : undefined;
  const may = (operation: string) => me.operations.includes(operation);
  return {
    me, isOperator, tenant, may,
    whose: isOperator ? (tenant ?? 'All tenants') : me.tenant_name || me.tenant || 'Your tenant',
    mayAct: (operation) => may(operation) && (!isOperator || tenant !== undefined),
  };
}
