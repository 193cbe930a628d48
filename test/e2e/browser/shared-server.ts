import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { Server } from '../server.ts'

/** The type of the content that is checked on the server. Nobody listens where it asks: the verdicts come from tests. */
export const CHECKED_TYPE = 'application/wasm'

/** Content of this size is sent in parts of this size. It is the smallest that storage takes. */
export const PART_BYTES = 5 * 2 ** 20

/**
 * Starts the one server that the files of the project "browser" share, since each start takes seconds. Each test there has
 * users of its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const part = String(PART_BYTES)
  const server = await Server.start({
    MULTIPART_THRESHOLD: part,
    PART_SIZE: part,
    RATE_LIMITS: 'on',
    CONTENT_CHECK_URL: 'http://localhost:1/check',
    CONTENT_CHECK_SECRET: `whsec_${btoa('a secret of the tests, of 32 byte')}`,
    CONTENT_CHECK_KINDS: CHECKED_TYPE,
  })
  project.provide('sharedServer', { port: server.port })
  return () => server.stop()
}

/** The port of the shared server. */
export function sharedPort(): number {
  return inject('sharedServer').port
}

/** The origin of the shared server. */
export function sharedOrigin(): string {
  return `http://localhost:${sharedPort()}`
}
