/**
 * The black-box tests against a running service: `npm run acceptance` (scripts/acceptance.ts). What stands for the Workers runtime
 * sends requests to the service, and skips the tests that look inside it.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { tags } from './tags.ts'

const { ACCEPTANCE_URL = '', ACCEPTANCE_DEVELOPMENT, ACCEPTANCE_MULTIPART_BYTES = '0' } = process.env
const { ALLOWED_ORIGIN = '', EXPIRED_TOKEN = '', FOREIGN_TOKEN = '' } = process.env
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Servers and machines may be busy: what takes a second there may take thirty. */
const TIMEOUT_MS = 120_000

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^cloudflare:(test|workers)$/, replacement: `${root}scripts/acceptance/inside.ts` },
      { find: /^\..*\/identities\.ts$/, replacement: `${root}scripts/acceptance/identities.ts` },
    ],
  },
  test: {
    include: ['test/!(races|proofs|e2e|shards|csharp|capacity|client|db|jobs|local|rules)/*.test.ts'],
    exclude: [
      'test/announcements/*.test.ts', // to all users of the service
      // Hooks of these look inside the service.
      'test/catalogue/{pages,search}.test.ts',
      'test/events/*.test.ts',
      'test/http/{authorisation,observing}.test.ts',
      'test/http/own-writes.test.ts', // over databases of its own
      'test/uploads/foreign-content.test.ts',
    ],
    tags,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    isolate: false,
    maxWorkers: 3,
    silent: 'passed-only',
    reporters: ['default', 'test/support/closing-line.ts'],
    setupFiles: ['test/support/problem.ts', 'scripts/acceptance/setup.ts'],
    globalSetup: ['test/support/login.ts', 'scripts/acceptance/given-users.ts'],
    provide: {
      proof: { seed: 0, amount: 0, replay: '', rounds: 1, brief: false },
      acceptance: {
        origin: ACCEPTANCE_URL,
        isDevelopment: ACCEPTANCE_DEVELOPMENT === '1',
        multipart_bytes: Number(ACCEPTANCE_MULTIPART_BYTES),
        allowed_origin: ALLOWED_ORIGIN,
        expired_token: EXPIRED_TOKEN,
        foreign_token: FOREIGN_TOKEN,
      },
    },
  },
})
