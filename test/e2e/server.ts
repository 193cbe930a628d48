import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migratedState } from './setup.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A development server with a state of its own. With options, or on a state that is not migrated, `npm run dev` starts it. Else
 * it is the simulator that `npm run dev` would start, with the Worker that was bundled once for all (test/e2e/setup.ts).
 */
export class Server {
  readonly port: number
  /** The directory that its database, its bucket and its objects are kept in. */
  readonly state: string
  readonly #variables: Record<string, string>
  /** Whether its database is migrated before it starts first. */
  readonly #isMigrated: boolean
  #options: string[]
  #process: ChildProcess | undefined
  /** What it has printed since it was started. */
  output: () => string = () => ''
  /** Every process that it consists of, as far as known when it answered first. */
  #family: Process[] = []

  private constructor(
    port: number,
    state: string,
    isMigrated: boolean,
    variables: Record<string, string>,
    options: string[],
  ) {
    this.port = port
    this.state = state
    this.#isMigrated = isMigrated
    this.#variables = variables
    this.#options = options
  }

  /** Starts a server on a free port, with an empty database, an empty bucket, these variables set and these options. */
  static async start(variables: Record<string, string> = {}, ...options: string[]): Promise<Server> {
    const server = await Server.#create(true, variables, options)
    await cp(migratedState, server.state, { recursive: true })
    await server.resume()
    return server
  }

  /** Starts one like `start`, on a state that something has been done to first. */
  static async startOn(seed: (state: string) => Promise<void>, ...options: string[]): Promise<Server> {
    const server = await Server.#create(true, {}, options)
    await cp(migratedState, server.state, { recursive: true })
    await seed(server.state)
    await server.resume()
    return server
  }

  /** Starts one like `start` whose database is migrated first, as on a machine that never had one. */
  static async startAnew(variables: Record<string, string> = {}, ...options: string[]): Promise<Server> {
    const server = await Server.#create(false, variables, options)
    await server.resume()
    return server
  }

  static async #create(
    isMigrated: boolean,
    variables: Record<string, string>,
    options: string[],
  ): Promise<Server> {
    const state = await mkdtemp(join(tmpdir(), 'edge-game-storage-'))
    return new Server(await freePort(), state, isMigrated, variables, options)
  }

  /** The processes that it consists of. */
  pids(): number[] {
    return this.#family.map(({ pid }) => pid)
  }

  url(host = 'localhost'): string {
    return `http://${host}:${this.port}`
  }

  /**
   * Starts on the state that is there, and waits until it answers. `variables` come on top of those of the start, and
   * `options` take the place of those from before.
   */
  async resume({
    variables = {},
    options = this.#options,
  }: {
    variables?: Record<string, string>
    options?: string[]
  } = {}): Promise<void> {
    this.#options = options
    const isPlain = this.#isMigrated && options.length === 0
    const { child, output } = run([
      ...(isPlain ? [built] : ['scripts/dev.ts', ...anyInspectorPort]),
      '--port',
      String(this.port),
      '--persist-to',
      this.state,
      ...this.#options,
      ...Object.entries({ ...this.#variables, ...variables }).flatMap(([name, value]) => [
        '--var',
        `${name}:${value}`,
      ]),
    ])
    this.#process = child
    this.output = output
    while (!(await this.#answers())) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the server did not start:\n${output()}`)
      await new Promise((later) => setTimeout(later, 100))
    }
    this.#family = await familyOf(child.pid)
  }

  /**
   * Kills it at once, with everything that it started: what a power cut would do. With SIGINT, it is told to end, as
   * Ctrl-C in a terminal tells it.
   *
   * @throws Error when anything of it survives
   */
  async kill(signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL'): Promise<void> {
    const child = this.#process
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, signal)
    await once(child, 'exit')
    const group = child.pid
    const survivors = async () =>
      (await processes()).filter(
        (one) => one.pgid === group || this.#family.some((known) => isSame(known, one)),
      )
    const patience = performance.now() + 20_000 // a killed process takes a moment to go
    while ((await survivors()).length > 0)
      if (performance.now() > patience) throw new Error(`survived: ${JSON.stringify(await survivors())}`)
  }

  /** Kills it and forgets its state. */
  async stop(): Promise<void> {
    await this.kill()
    await rm(this.state, { recursive: true, force: true, maxRetries: 5 })
  }

  async #answers(): Promise<boolean> {
    return fetch(`${this.url()}/openapi.json`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
}

/** Two servers that begin at the same time would both take the usual one. */
const anyInspectorPort = ['--inspector-port', '0']

/** The program that serves the bundled Worker. */
const built = 'test/e2e/built-server.ts'

interface Process {
  pid: number
  ppid: number
  pgid: number
  /** When it was started; its number may be another one's before. */
  started: string
}

const isSame = (one: Process, other: Process) => one.pid === other.pid && one.started === other.started

/** The processes of this machine that run. */
async function processes(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,pgid=,stat=,lstart='])
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => !state?.startsWith('Z'))
    .map(([pid, ppid, pgid, , ...started]) => ({
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      started: started.join(' '),
    }))
}

/** A process with all that came of it. */
async function familyOf(pid: number | undefined): Promise<Process[]> {
  const all = await processes()
  const family = all.filter((one) => one.pid === pid)
  for (const parent of family) family.push(...all.filter(({ ppid }) => ppid === parent.pid))
  return family
}

/** Runs one of the project's scripts in a process group of its own. */
function run(
  args: string[],
  environment: Record<string, string> = {},
): { child: ChildProcess; output: () => string } {
  const child = spawn('node', args, {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
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
  environment: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  const { child, output } = run(args, environment)
  child.stdout?.on('data', () => {
    if (until !== undefined && output().includes(until)) child.kill('SIGINT')
  })
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

/**
 * A port that nobody listens on. The system gives none of this range to who asks for any port, so that it is still free
 * when the server comes to listen, seconds later.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000)
    const probe = createServer().listen(port)
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
