import { useSyncExternalStore } from 'react';

export interface Notice { id: number; text: string; tone?: 'bad'; action?: { label: string; run: () => void }; ms: number }

let notices: Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();
const change = (next: Notice[]) => { notices = next; for (const tell of listeners) tell(); };

export const dismiss = (id: number): void => change(notices.filter((n) => n.id !== id));

/** Say what has happened, at the edge of the page. With an action it stays as long as that can be taken back. */
export function notify(text: string, more: Partial<Pick<Notice, 'tone' | 'action' | 'ms'>> = {}): void {
  const notice: Notice = { id: ++last, text, ms: 5000, ...more };
  change([...notices.slice(-2), notice]);
  setTimeout(() => dismiss(notice.id), notice.ms);
}

export const useNotices = (): Notice[] => useSyncExternalStore((tell) => { listeners.add(tell); return () => listeners.delete(tell); }, () => notices);
