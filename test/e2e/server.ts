import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** A development server, as `npm run dev` starts it, with a state of its own. */
export class Server {
  readonly port: number
  readonly #state: string
  readonly #variables: Record<string, string>
  #process: ChildProcess | undefined

  private constructor(port: number, state: string, variables: Record<string, string>) {
    this.port = port
    this.#state = state
    this.#variables = variables
  }

  /** Starts a server on a free port, with an empty database, an empty bucket, and these variables set. */
  static async start(variables: Record<string, string> = {}): Promise<Server> {
    const state = await mkdtemp(join(tmpdir(), 'edge-game-storage-'))
    const server = new Server(await freePort(), state, variables)
    await server.resume()
    return server
  }

  url(host = 'localhost'): string {
    return `http://${host}:${this.port}`
  }

  /** Starts on the state that is there, and waits until it answers. */
  async resume(): Promise<void> {
    const { child, output } = run([
      'scripts/dev.ts',
      '--port',
      String(this.port),
      '--persist-to',
      this.#state,
      ...Object.entries(this.#variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
    ])
    this.#process = child
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`the server did not start:\n${output()}`)
      await new Promise((later) => setTimeout(later, 100))
    }
  }

  /** Kills it at once, with everything that it started: what a power cut would do. */
  async kill(): Promise<void> {
    const child = this.#process
    if (!child?.pid || child.exitCode !== null) return
    process.kill(-child.pid, 'SIGKILL')
    await once(child, 'exit')
  }

  /** Kills it and forgets its state. */
  async stop(): Promise<void> {
    await this.kill()
    await rm(this.#state, { recursive: true, force: true, maxRetries: 5 })
  }

  async #answers(): Promise<boolean> {
    return fetch(`${this.url()}/openapi.json`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
}

/** Runs one of the project's scripts in a process group of its own. */
function run(args: string[]): { child: ChildProcess; output: () => string } {
  const child = spawn('node', args, { cwd: project, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  return { child, output: () => output }
}

/** Runs a script to its end, or interrupts it as soon as it has printed `until`. */
export async function finished(
  args: string[],
  until?: string,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = run(args)
  child.stdout?.on('data', () => {
    if (until !== undefined && output().includes(until)) child.kill('SIGINT')
  })
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
