/** API keys in words: what state one is in, and which roles a caller may give. */
import type { Schemas } from '../api/client';
import { DAY, millis, plural } from './time';

export type Key = Schemas['Key'];
export type Role = Schemas['Role'];
export type KeyState = 'revoked' | 'expired' | 'replaced' | 'expiring' | 'unused' | 'new' | 'active';

const SOON_MS = 14 * DAY;
const FORGOTTEN_MS = 90 * DAY;
const NEW_MS = 30 * DAY;

/** The state of a key, the most final first. */
export function keyState(key: Pick<Key, 'revoked_at' | 'expires_at' | 'replaced_by' | 'last_used_at' | 'created_at'>, now: number): KeyState {
  const expires = millis(key.expires_at);
  if (key.revoked_at) return 'revoked';
  if (expires !== undefined && expires <= now) return 'expired';
  if (key.replaced_by) return 'replaced';
  if (expires !== undefined && expires - now < SOON_MS) return 'expiring';
  const used = millis(key.last_used_at);
  if (used === undefined) return now - millis(key.created_at)! > NEW_MS ? 'unused' : 'new';
  return now - used > FORGOTTEN_MS ? 'unused' : 'active';
}

/** The glyph and the word of each state. */
export const KEY_STATES: Record<KeyState, [glyph: string, word: string]> = {
  revoked: ['canceled', 'Revoked'], expired: ['canceled', 'Expired'], replaced: ['requeued', 'Replaced'], expiring: ['late', 'Runs out soon'], unused: ['scheduled', 'Not used'], new: ['queued', 'New'], active: ['ok', 'In use'],
};
export const isOver = (state: KeyState): boolean => state === 'revoked' || state === 'expired';

/** What each role may do, in one line. */
export const ROLES: Record<Role, string> = {
  viewer: 'sees jobs, results and logs', responder: 'also cancels, retries and reschedules', tenant_admin: 'also enqueues, edits and makes keys', enqueue: 'enqueues, and gets a job by its id',
  super_admin: 'everything, for every tenant', worker: 'says who it is, nothing else',
};
const OF_TENANTS: Role[] = ['viewer', 'responder', 'tenant_admin', 'enqueue'];
const OF_PLATFORM: Role[] = ['super_admin', 'worker'];

/** The roles that a key can have: one of a tenant, or one of the platform, which only an operator makes. */
export const rolesFor = (isOperator: boolean, hasTenant: boolean): Role[] => (!isOperator || hasTenant ? OF_TENANTS : OF_PLATFORM);

export const keyName = (key: Pick<Key, 'name' | 'key_id'>): string => key.name || key.key_id;

/** The answer: what runs out, and what nobody uses. */
export function keysAnswer(keys: Key[], now: number): string {
  const states = keys.map((k) => keyState(k, now));
  const n = (state: KeyState) => states.filter((s) => s === state).length;
  const soon = keys.filter((_, i) => states[i] === 'expiring').sort((a, b) => millis(a.expires_at)! - millis(b.expires_at)!)[0];
  const unused = n('unused') ? `${plural(n('unused'), 'key')} ${n('unused') === 1 ? 'is' : 'are'} not used` : '';
  if (soon) {
    const left = Math.floor((millis(soon.expires_at)! - now) / DAY);
    const first = n('expiring') === 1 ? keyName(soon) : `${n('expiring')} keys`;
    return `${first} ${n('expiring') === 1 ? 'runs' : 'run'} out ${left < 1 ? 'within a day' : n('expiring') === 1 ? `in ${plural(left, 'day')}` : 'within two weeks'}${unused ? `, ${unused}` : ''}`;
  }
  if (unused) return unused;
  const working = states.filter((s) => !isOver(s)).length;
  return working ? `${plural(working, 'key')} ${working === 1 ? 'works' : 'work'}, none runs out soon` : 'No key works';
}
