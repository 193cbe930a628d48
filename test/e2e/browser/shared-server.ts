import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { Server } from '../server.ts'

/** Content of this size is sent in parts of this size. It is the smallest that storage takes. */
export const PART_BYTES = 5 * 2 ** 20

/**
 * Starts the one server that the files of the project "browser" share, since each start takes seconds. Each test there has
 * users of its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const part = String(PART_BYTES)
  const server = await Server.start({ MULTIPART_THRESHOLD: part, PART_SIZE: part, RATE_LIMITS: 'on' })
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
