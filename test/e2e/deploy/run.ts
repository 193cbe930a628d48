import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Server as Listener } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../citations.ts'
import { API, answerForApi } from './api.ts'
import type { R2 } from './r2.ts'
import { type Account, accountIn, DEPLOYED, emptyAccount } from './stand-in.ts'
import { putWrangler } from './wrangler.ts'

const example = JSON.parse(readFileSync(`${project}docs/production.example.json`, 'utf8'))

/** The example's settings, without a domain: wrangler tells the address of such a deployment. */
export const settings = { ...example, domain: undefined, location: 'automatic' }

/** What `npm run deploy` printed, the calls of wrangler that it made, and how it ended. */
export interface Run {
  code: number | null
  output: string
  calls: string[]
}

/** The calls that change something on the platform. Reads are left out, and the dry run that builds the bundle. */
export const changesIn = ({ calls }: Run) =>
  calls.filter(
    (call) =>
      !/^(whoami|auth token|deploy --dry-run|d1 list|d1 execute \S+ --remote --json|queues info|secret list|r2 bucket \w+ list|deployments status|versions view)/.test(
        call,
      ),
  )

/** A Cloudflare account behind the stand-in for wrangler, settings to deploy into it, and the service that it then has. */
export class Studio {
  /** The path of the settings. */
  readonly settings: string
  readonly #folder: string
  readonly #name: string
  readonly #service: Server
  readonly #wrangler: Listener
  readonly #account: string
  readonly #r2: R2 | undefined
  #command: ChildProcess | undefined
  readonly #origin: string

  /** Statuses with which the service answers to `/readyz`, one after the other; 200 once there are none left. */
  readonly readiness: number[] = []

  private constructor(
    settings: object,
    { folder, service, wrangler, r2 }: { folder: string; service: Server; wrangler: Listener; r2?: R2 },
  ) {
    this.#folder = folder
    this.#service = service
    this.#wrangler = wrangler
    this.#r2 = r2
    this.#name = `${DEPLOYED}${crypto.randomUUID().slice(0, 8)}`
    this.settings = join(this.#folder, 'production.json')
    this.#account = accountFileIn(folder)
    writeFileSync(this.settings, JSON.stringify({ ...settings, name: this.#name }, null, 2))
    service.on('request', (request, response) => {
      if (request.url?.startsWith(API)) answerForApi(this, request, response)
      else response.writeHead(this.readiness.shift() ?? 200).end()
    })
    const address = service.address()
    if (typeof address !== 'object' || address === null) throw new Error('The service does not listen.')
    this.#origin = `http://localhost:${address.port}`
    this.change(() => emptyAccount(this.#origin))
  }

  /** `r2` is what the keys of the bucket lead to. */
  static async with(settings: object, r2?: R2): Promise<Studio> {
    const service = createServer().listen(0)
    await once(service, 'listening')
    const folder = mkdtempSync(join(tmpdir(), 'edge-game-storage-deploy-'))
    const wrangler = await putWrangler(folder, accountFileIn(folder))
    return new Studio(settings, { folder, service, wrangler, ...(r2 && { r2 }) })
  }

  /** The name of the Worker. */
  get name(): string {
    return this.#name
  }

  get account(): Account {
    return accountIn(this.#account)
  }

  /** The file in which the stand-in keeps the account, with its databases beside it. */
  get accountFile(): string {
    return this.#account
  }

  readonly change = (change: (account: Account) => Account): void => {
    const before = emptyAccountOr(this.#account)
    writeFileSync(this.#account, JSON.stringify(change(before)))
  }

  read(): Record<string, unknown> {
    return JSON.parse(readFileSync(this.settings, 'utf8'))
  }

  /** Runs `npm run deploy` with these options, and these variables of the environment. */
  deploy(options: string[] = [], variables: Record<string, string> = {}): Promise<Run> {
    return this.run('scripts/deploy.ts', options, variables)
  }

  /** Runs a command that takes the settings. */
  async run(script: string, options: string[] = [], variables: Record<string, string> = {}): Promise<Run> {
    this.change((account) => ({ ...account, calls: [] }))
    const route = ['--import', `${project}test/e2e/deploy/route-to-r2.ts`]
    const child = spawn('node', [...route, script, '--settings', this.settings, ...options], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${this.#folder}:${process.env.PATH}`,
        R2_STAND_IN: this.#r2?.address ?? 'http://localhost:9',
        CLOUDFLARE_API_BASE_URL: this.#origin + API,
        NO_COLOR: '1',
        ...variables,
      },
    })
    this.#command = child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece
      })
    const [code] = await once(child, 'close')
    return { code, output, calls: this.account.calls.map(({ call }) => call) }
  }

  /** Ends the command that runs, as Ctrl-C does. */
  interrupt(): void {
    this.#command?.kill('SIGINT')
  }

  end(): void {
    this.#service.close()
    this.#wrangler.close()
    rmSync(this.#folder, { recursive: true, force: true })
    rmSync(join(project, 'out/deploy', this.#name), { recursive: true, force: true })
  }
}

const accountFileIn = (folder: string) => join(folder, 'account.json')

function emptyAccountOr(file: string): Account {
  try {
    return accountIn(file)
  } catch {
    return emptyAccount('')
  }
}
