import { Button } from '@mantine/core';
import { ApiError, Unreachable } from '../api/client';
import { EmptyState } from './EmptyState';

/** What went wrong in the server's words, with what a colleague needs to find it, and a way to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const title = error instanceof ApiError ? (error.status === 404 ? 'There is nothing here' : error.problem.title ?? 'That did not work') : error instanceof Unreachable ? 'The server cannot be reached' : 'This page is broken';
  const says = error instanceof ApiError ? error.message : error instanceof Unreachable ? 'Check your connection. The page tries again by itself.' : `Reload it. If that does not help, report this: ${String(error)}`;
  return (
    <EmptyState isPage title={title} says={says}>
      {error instanceof ApiError && <p className="quiet">Code <code>{error.code}</code>{error.problem.request_id && <> · request <code>{error.problem.request_id}</code></>}</p>}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </EmptyState>
  );
}
