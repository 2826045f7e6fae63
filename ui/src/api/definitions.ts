import { useCallback } from 'react';
import { api, unwrap } from './client';
import { useAct } from './operator';

/** Enable and disable a definition, with a way back. */
export function useEnable() {
  const act = useAct();
  return useCallback((key: string, on: boolean) => {
    const send = (wanted: boolean) => {
      const at = { params: { path: { key } } };
      return unwrap(wanted ? api.POST('/api/v1/admin/jobs/definitions/{key}/enable', at) : api.POST('/api/v1/admin/jobs/definitions/{key}/disable', at));
    };
    const says = (wanted: boolean) => (wanted ? `${key} is enabled: its jobs start again.` : `${key} is disabled: its jobs wait, and new ones are refused.`);
    void act(send(on), says(on), () => void act(send(!on), says(!on)));
  }, [act]);
}
