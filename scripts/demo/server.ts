/** The demo's server: the running one, or one that the demo starts. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { project } from '../development.ts'

export interface Server {
  origin: string
  /** Whether the demo has started it. */
  isOurs: boolean
  /** Stops the server if the demo started it. May be called again. */
  stop: () => Promise<void>
}

/** No server could be used or started. The message is for the user. */
export class NoServer extends Error {}

const Description = z.object({ info: z.object({ title: z.literal('Edge game storage') }) })

const STARTUP_SECONDS = 90

/**
 * The server on `port`. If nothing listens there, calls `onStart` and starts one. `onSpawn` receives the server before it is
 * ready, so that the caller can stop it earlier.
 *
 * @throws NoServer when another program listens there, or when the server does not start
 */
export async function serverOn(
  port: number,
  onStart: (origin: string) => void,
  onSpawn: (server: Server) => void,
): Promise<Server> {
  const origin = originOn(port)
  const found = await whoAnswers(origin)
  if (found === 'this service') return { origin, isOurs: false, stop: async () => {} }
  if (found === 'something else') throw new NoServer(`Something else listens on ${origin}.`)
  onStart(origin)
  return startServer(port, {}, onSpawn)
}

/**
 * Acts on a server of its own on `port`, and stops it afterwards.
 *
 * @throws NoServer when the port is taken, or when the server does not start
 */
export async function onOwnServer(port: number, act: (origin: string) => Promise<void>): Promise<void> {
  let server: Server | undefined
  try {
    server = await serverOn(
      port,
      () => console.error('Starting a server …'),
      (starting) => {
        server = starting
      },
    )
    if (!server.isOurs) throw new NoServer(`A server already runs on port ${port}. Stop it first.`)
    await act(server.origin)
  } finally {
    await server?.stop()
  }
}

/** Not 127.0.0.1: URLs are signed for the request's host, and the bucket listens on localhost. */
const originOn = (port: number) => `http://localhost:${port}`

async function whoAnswers(origin: string): Promise<'this service' | 'something else' | 'nobody'> {
  try {
    const response = await fetch(`${origin}/openapi.json`, { signal: AbortSignal.timeout(20_000) })
    const description: unknown = await response.json()
    return Description.safeParse(description).success ? 'this service' : 'something else'
  } catch (error) {
    return isConnectionRefused(error) ? 'nobody' : 'something else'
  }
}

function isConnectionRefused(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && 'code' in error.cause
    ? error.cause.code === 'ECONNREFUSED'
    : false
}

/**
 * Starts the development server of a checkout (`root`), in a process group of its own: Ctrl-C reaches only the caller, which then
 * stops the whole group. Its state is in the folder `state`, or in a temporary one, because two servers must not share one.
 *
 * @throws NoServer when it does not start
 */
export async function startServer(
  port: number,
  { root = project, state }: { root?: string; state?: string },
  onSpawn: (server: Server) => void,
): Promise<Server> {
  const origin = originOn(port)
  const folder = state ?? mkdtempSync(join(tmpdir(), 'edge-game-storage-demo-'))
  const options = ['--port', String(port), '--persist-to', folder, '--inspector-port', '0']
  const child = spawn(process.execPath, ['scripts/dev.ts', ...options], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${root}/node_modules/.bin:${process.env.PATH}` },
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-4_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  let isUp = true
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isUp = false
      resolve()
    }
    child.on('exit', end)
    child.on('error', end)
  })

  let hasAnswered = false
  let stopping: Promise<void> | undefined

  /** Stops the server. Kills it before it is ready: while it migrates its database, it ignores SIGTERM. */
  async function end(): Promise<void> {
    if (isUp && hasAnswered) {
      child.kill('SIGTERM')
      await Promise.race([ended, sleep(5_000, undefined, { ref: false })])
    }
    if (child.pid) endGroup(child.pid)
    await ended
    if (state === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const server: Server = {
    origin,
    isOurs: true,
    stop: () => {
      stopping ??= end()
      return stopping
    },
  }
  onSpawn(server)

  const deadline = Date.now() + STARTUP_SECONDS * 1000
  while (isUp && !stopping && Date.now() < deadline) {
    hasAnswered = (await whoAnswers(origin)) === 'this service'
    if (hasAnswered) return server
    await sleep(250)
  }
  const reason = isUp ? `did not answer within ${STARTUP_SECONDS} seconds` : 'ended before it answered'
  await server.stop()
  throw new NoServer(`The server ${reason}. This is what it said:\n${output.trim()}`)
}

/** Kills the remaining processes of the group: wrangler's children, when wrangler itself was killed. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process is left.
  }
}
