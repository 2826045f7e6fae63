/** JSON Merge Patch (RFC 7396): what a change of an object says, and what it cannot say. */
import { isMembers, isSame, type Json, type Members } from './json';

/** A patch that makes one object of another: what is gone becomes null. */
export function patchOf(before: Members, after: Members): Members {
  const patch: Members = new Map();
  for (const [name, value] of after) {
    const old = before.get(name);
    if (before.has(name) && isSame(old, value)) continue;
    patch.set(name, isMembers(old) && isMembers(value) ? patchOf(old, value) : value);
  }
  for (const name of before.keys()) if (!after.has(name)) patch.set(name, null);
  return patch;
}

/** What a server makes of a value with a patch. */
function merged(value: Json | undefined, patch: Json): Json {
  if (!isMembers(patch)) return patch;
  const made: Members = new Map(isMembers(value) ? value : []);
  for (const [name, change] of patch) {
    if (change === null) made.delete(name);
    else made.set(name, merged(made.get(name), change));
  }
  return made;
}

/** Whether a patch cannot say this: it takes a null in an object as "remove". In a list it may stand. */
export const isUnsayable = (before: Json, after: Json): boolean => isMembers(before) && isMembers(after) && !isSame(merged(before, patchOf(before, after)), after);
