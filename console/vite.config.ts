import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Where `npm run dev` serves the service. `npm run dev -w console` serves the console beside it, built anew with each change. */
const service = process.env.SERVICE_URL ?? 'http://localhost:8787'

export default defineConfig({
  base: '/console/',
  build: {
    outDir: '../out/console',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
  // From its sources, so that a change of the client needs no build.
  resolve: {
    alias: {
      'edge-game-storage-client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)),
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/development', '/openapi.json', '/health', '/cdn-cgi'].map((path) => [path, service]),
    ),
  },
})
