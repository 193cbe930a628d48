import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

/** Where `npm run dev` serves the service. `npm run dev -w console` serves the console beside it, built anew with each change. */
const service = process.env.SERVICE_URL ?? 'http://localhost:8787'

const client = fileURLToPath(new URL('../client/src/', import.meta.url))

/**
 * Leaves out the words of React Aria in other languages than that of the console: an eighth of its JavaScript. Each of the
 * modules that it matches has a line to import a language, and a line to export it.
 */
const inEnglish: Plugin = {
  name: 'in-english',
  enforce: 'pre',
  transform: {
    filter: { id: /react-(aria|stately).*intlStrings\.mjs$/ },
    handler: (code) =>
      code
        .split('\n')
        .filter((line) => line.includes('en-US') || !/^import |^ *"[a-z]{2}-[A-Z]{2}":/.test(line))
        .join('\n'),
  },
}

/**
 * The folders that only one part of the page needs, which loads them when it is first shown (src/shell/later.tsx). All else is
 * one file: parts would share small ones, with names that change from build to build.
 */
const ofOnePart = /(?<!client)\/src\/(assets|discover|favorites|operators|requests|safety|saves)\//

export default defineConfig({
  plugins: [inEnglish],
  // scripts/pages/console.ts names the build.
  define: { BUILD: JSON.stringify('development') },
  base: '/console/',
  build: {
    outDir: '../out/console',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Without hashes, which gain nothing: browsers ask for each file whether it has changed. A running server knows the names
    // of its start, and another server of the same folder may build a page that names other ones.
    rolldownOptions: {
      output: {
        entryFileNames: 'static/[name].js',
        chunkFileNames: 'static/[name].js',
        codeSplitting: { groups: [{ name: 'index', test: (id) => !ofOnePart.test(id) }] },
        assetFileNames: 'static/[name][extname]',
      },
    },
    // All styles hold on every screen.
    cssCodeSplit: false,
  },
  // From its sources, so that a change of the client needs no build.
  resolve: {
    alias: [
      { find: /^edge-game-storage-client$/, replacement: `${client}index.ts` },
      { find: /^edge-game-storage-client\/(.*)$/, replacement: `${client}$1.ts` },
    ],
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/development', '/openapi.json', '/health', '/cdn-cgi', '/static'].map((path) => [
        path,
        service,
      ]),
    ),
  },
})
