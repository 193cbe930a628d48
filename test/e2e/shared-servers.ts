import { once } from 'node:events'
import { createServer } from 'node:http'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { z } from 'zod'
import { Server } from './server.ts'
import { installTools } from './tools.ts'

/** The least that R2 takes for a part that is not the last. */
export const PART_BYTES = 5 * 1_024 ** 2

/** What each shared server is configured with. */
const configurations = {
  /** It keeps every revision of the slots of devices that tests kill. */
  usual: { SAVE_REVISIONS: '100' },
  /** Of guides, which show the whole catalogue. */
  guides: {},
  /** An upload in parts is a few megabytes, and the job removes content at once. */
  small_parts: {
    MULTIPART_THRESHOLD: String(PART_BYTES),
    PART_SIZE: String(PART_BYTES),
    CONTENT_GRACE_DAYS: '0',
  },
  /** Of the proofs of the client: an inbox that overflows at times, and every revision of their slots is kept. */
  proofs: {
    MULTIPART_THRESHOLD: String(PART_BYTES),
    PART_SIZE: String(PART_BYTES),
    MAX_NOTIFICATIONS: Number(process.env.PROVE_AMOUNT ?? 0) > 0 ? '150' : '40',
    SAVE_REVISIONS: '100',
  },
} satisfies Record<string, Record<string, string>>

type Kind = keyof typeof configurations

const isKind = (name: string): name is Kind => Object.hasOwn(configurations, name)

/** A server that other files use at the same time. Each test has users of its own, and nobody stops or kills it. */
export interface SharedServer {
  port: number
  state: string
  url(host?: string): string
}

/**
 * Starts the servers that files of a project share, each when the first file asks for it, and installs the tools. A start takes
 * five seconds of CPU time.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<Kind, Promise<Server>>()
  let installing: Promise<void> | undefined
  const starter = createServer(async (request, response) => {
    const kind = request.url?.slice(1) ?? ''
    if (kind === 'tools') {
      installing ??= installTools()
      await installing.then(
        () => response.end(),
        (error: Error) => response.writeHead(500).end(error.message),
      )
      return
    }
    if (!isKind(kind)) {
      response.writeHead(404).end()
      return
    }
    const starting = started.get(kind) ?? Server.start(configurations[kind])
    started.set(kind, starting)
    await starting.then(
      ({ port, state }) => response.end(JSON.stringify({ port, state })),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  }).listen(0, 'localhost')
  await once(starter, 'listening')
  const address = starter.address()
  if (typeof address !== 'object' || address === null) throw new Error('The starter does not listen.')
  project.provide('sharedServers', { url: `http://localhost:${address.port}` })
  return async () => {
    starter.close()
    await Promise.all([...started.values()].map(async (starting) => (await starting).stop()))
  }
}

const Started = z.object({ port: z.int(), state: z.string() })

/** The shared server of this kind. @throws Error with its output when it did not start */
export async function sharedServer(kind: Kind): Promise<SharedServer> {
  const answer = await fetch(`${inject('sharedServers').url}/${kind}`)
  if (!answer.ok) throw new Error(await answer.text())
  const { port, state } = Started.parse(await answer.json())
  return { port, state, url: (host = 'localhost') => `http://${host}:${port}` }
}
