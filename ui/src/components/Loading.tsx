import { useEffect, useState } from 'react';

/** Nothing for 300 ms, then a word: a flash of grey boxes is worse than a short wait. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return <p className="quiet" role="status">{isLong ? `${what}…` : ''}</p>;
}
