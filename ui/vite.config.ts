import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Assets are found relative to <base href>, which the server sets to the path it is served under.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    target: 'es2023',
    outDir: '../src/jobplane/_ui',
    emptyOutDir: true,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: fonts
  },
  server: { port: 5173, proxy: { '/api': process.env.JOBPLANE_SERVER ?? 'http://127.0.0.1:8580' } },
});
