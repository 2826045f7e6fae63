import { useEffect, useRef } from 'react';

const OFF = 'jobplane.single-keys-off';

/** Single keys can be turned off (WCAG 2.1.4): speech input types them by accident. */
export const areKeysOn = (): boolean => localStorage.getItem(OFF) === null;
export const setKeysOn = (on: boolean): void => { if (on) localStorage.removeItem(OFF); else localStorage.setItem(OFF, '1'); };

export const isTyping = (target: EventTarget | null): boolean => {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button)$/.test(target.type);
};

/** Call what a key is for, unless one types, holds a modifier, has a dialog open or has turned single keys off. */
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      if (event.key.length === 1 && !areKeysOn()) return;
      latest.current[event.key]?.(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
