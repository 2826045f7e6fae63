import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import '@fontsource/ibm-plex-mono/latin-500.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Tooltip.css';
import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/CloseButton.css';
import './theme/tokens.css';
import './theme/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, onSignedOut, Unreachable } from './api/client';
import { noteContact } from './api/live';
import { makeRouter } from './router';
import { cssVariables, theme } from './theme/theme';

const client = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => { if (error instanceof Unreachable) noteContact(false); },
    onSuccess: () => noteContact(true),
  }),
  // A refusal stays one; what is unreachable is asked again.
  defaultOptions: { queries: { retry: (tries, error) => !(error instanceof ApiError && error.status < 500) && tries < 2, staleTime: 1000 } },
});
const router = makeRouter(client);
onSignedOut(() => {
  if (router.state.location.pathname.endsWith('/sign-in')) return;
  client.removeQueries({ queryKey: ['me'] });
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } });
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce ?? ''}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
