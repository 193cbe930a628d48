/** npm run dev [-- --port N --ip ADDRESS …]: migrates the local databases, then serves; other options go to wrangler dev. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { isEverywhere, isFree, isThisMachine, networkAddresses, nextFree } from './dev/addresses.ts'
import { databasesOf } from './dev/databases.ts'
import { foreignState, noteMigrated, notMigrated, unmigrated, whyForeign } from './dev/migrate.ts'
import { bucketAddress, serveNetwork } from './dev/network.ts'
import { isReady, OutputFilter } from './dev/output.ts'
import { spreadEvenly, spreadOf, whyNoShards, whyNotServed } from './dev/spread.ts'
import { developmentVariables, project, webhookSecret } from './development.ts'

const usage = `npm run dev [-- OPTIONS]
  --port 8787          the port
  --ip 0.0.0.0         serves phones, consoles and other machines of the network too, which can sign in as any user
  --persist-to FOLDER  where the data is kept, .wrangler/state by default; delete it to begin anew
  --shards 3           spreads the data over three databases; --shards 1 moves everything back into one
  --webhook URL        sends events to this address, http://localhost:3000/… for one (docs/events.md)
Other options go to wrangler dev.`

const args = process.argv.slice(2)
const { values } = parseArgs({
  args,
  strict: false,
  options: {
    port: { type: 'string', default: '8787' },
    ip: { type: 'string', default: 'localhost' },
    'persist-to': { type: 'string', default: '.wrangler/state' },
    shards: { type: 'string' },
    webhook: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) leave(usage, 0)

const port = Number(values.port)
if (!Number.isInteger(port) || port < 1 || port > 65_535)
  leave(`--port takes a number from 1 to 65535.\n${usage}`, 2)
const ip = String(values.ip)
const state = resolve(project, String(values['persist-to']))
const asked = values.shards === undefined ? undefined : Number(values.shards)
const wrong = whyNoShards(asked)
if (wrong) leave(`${wrong}\n${usage}`, 2)
const webhook = values.webhook === undefined ? undefined : String(values.webhook)
if (webhook !== undefined && !URL.canParse(webhook))
  leave(`--webhook takes an address, http://localhost:3000/events for one.\n${usage}`, 2)
const refusal = whyNotServed(spreadOf(state).shards, asked)
if (refusal) leave(refusal, 1)

if (!(await isFree(port, ip))) leave(await portTaken(), 1)

let child: ChildProcess | undefined
let isLeaving = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
// When npm is terminated, it ends its shell, but not the shell's children.
const parent = process.ppid
setInterval(() => process.ppid !== parent && stop(), 500).unref()

developmentVariables()
const databases = databasesOf(state, asked)
await migrate(unmigrated(state, databases.names))
if (!isLeaving) process.exit(await serve())

function leave(message: string, code: number): never {
  const print = code === 0 ? console.log : console.error
  print(message)
  process.exit(code)
}

/** A message that says which program has the port, and what to do. */
async function portTaken(): Promise<string> {
  const address = `http://localhost:${port}`
  const title = await fetch(`${address}/openapi.json`, { signal: AbortSignal.timeout(2_000) })
    .then((response) => response.json())
    .then((description) => description?.info?.title)
    .catch(() => undefined)
  const who = title === 'Edge game storage' ? `this service, on ${address}` : 'another program'
  return `Port ${port} is taken by ${who}. Stop it, or take another port:

  npm run dev -- --port ${await nextFree(port, ip)}`
}

/** Ends what runs; kills it after five seconds, or at a second signal. */
function stop(): void {
  child?.kill(isLeaving ? 'SIGKILL' : 'SIGTERM')
  if (!isLeaving) setTimeout(() => child?.kill('SIGKILL'), 5_000).unref()
  isLeaving = true
}

/** Runs a command to its end, and passes each line of its output to `show`. Returns the exit code. */
function run(
  command: string,
  args: string[],
  show: (line: string, stream: NodeJS.WriteStream) => void,
): Promise<number> {
  const started = spawn(command, args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      WRANGLER_HIDE_BANNER: 'true',
      IS_PREPARED: 'true', // scripts/dev/prepare.ts
      // Keeps the simulator from fetching a sample request.cf, which this service does not use.
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
    },
  })
  child = started
  for (const [from, to] of [
    [started.stdout, process.stdout],
    [started.stderr, process.stderr],
  ] as const) {
    const filter = new OutputFilter()
    from.setEncoding('utf8')
    from.on('data', (piece: string) => {
      for (const line of filter.push(piece)) show(line, to)
    })
    from.on('end', () => {
      for (const line of filter.end()) show(line, to)
    })
  }
  return new Promise((ended, failed) => {
    started.on('error', failed)
    started.on('close', (code) => ended(isLeaving ? 0 : (code ?? 1)))
  })
}

async function migrate(names: string[]): Promise<void> {
  const why = names.length > 0 ? await whyForeign(state) : undefined
  if (why !== undefined) leave(foreignState(state, why), 1)
  for (const name of names) {
    console.log(`Migrating the local database${databases.names.length > 1 ? ` ${name}` : ''} …`)
    const lines: string[] = []
    const apply = [join(project, 'scripts/dev/apply-migrations.ts'), state, name]
    const code = await run(process.execPath, apply, (line) => lines.push(line))
    if (isLeaving) return
    if (code !== 0) leave(notMigrated(state, lines.join('\n')), 1)
    noteMigrated(state, [name])
  }
}

async function serve(): Promise<number> {
  console.log('Starting …')
  const inner = isThisMachine(ip) ? port : await nextFree(port, 'localhost')
  const bucket = inner === port ? [] : ['--var', `S3_ENDPOINT:${bucketAddress(port)}`]
  const options = ['--port', String(inner), '--ip', inner === port ? ip : 'localhost', '--persist-to', state]
  const events =
    webhook === undefined
      ? []
      : ['--var', `WEBHOOK_URL:${webhook}`, '--var', `WEBHOOK_SECRET:${webhookSecret()}`]
  const entry = ['dev', 'src/local/worker.ts', '--show-interactive-dev-session=false']
  let hasStarted = false
  const ready = async () => {
    if (asked !== undefined) await spreadEvenly(state, asked, inner)
    if (inner !== port) await serveNetwork(ip, port, inner)
    console.log(whereTo())
  }
  return run(
    'wrangler',
    [
      ...entry,
      ...databases.configuration,
      ...databases.variables,
      ...options,
      ...bucket,
      ...events,
      ...others(),
    ],
    (line, stream) => {
      if (hasStarted || !isReady(line)) stream.write(`${line}\n`)
      else ready().catch(fail)
      hasStarted ||= isReady(line)
    },
  )
}

/** Prints an error, and ends the server. */
function fail(error: Error): void {
  console.error(error.message)
  stop()
}

/** The arguments that are passed on to wrangler: all except this command's own options. */
function others(): string[] {
  const own = new Set(['port', 'ip', 'persist-to', 'shards', 'webhook'])
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: Object.fromEntries([...own].map((name) => [name, { type: 'string' as const }])),
  })
  const taken = new Set<number>()
  for (const token of tokens)
    if (token.kind === 'option' && own.has(token.name)) {
      taken.add(token.index)
      if (token.inlineValue === false) taken.add(token.index + 1)
    }
  return args.filter((_, index) => !taken.has(index))
}

function inTheNetwork(): string[] {
  const addresses = networkAddresses().map((host) => `http://${host}:${port}/`)
  return addresses.length > 0 ? addresses : ['this machine has no address in a private network']
}

/** The addresses and commands to print once the server is ready. */
function whereTo(): string {
  const own = isEverywhere(ip) ? 'localhost' : ip
  const address = `http://${own.includes(':') ? `[${own}]` : own}:${port}`
  const row = (name: string, value: string) => `  ${styleText('dim', name.padEnd(14))}${value}`
  const network = isEverywhere(ip)
    ? [
        ...inTheNetwork().map((address) => row('Network', address)),
        row('', 'where everyone can sign in as any user'),
      ]
    : [row('Network', 'npm run dev -- --ip 0.0.0.0, for phones and consoles')]
  return [
    '',
    `  ${styleText('bold', 'Edge game storage')} is running.`,
    '',
    row('Page', `${address}/`),
    row('Console', `${address}/console/`),
    row('Reference', `${address}/docs`),
    row('Guides', `${address}/guides/`),
    ...network,
    ...(webhook === undefined
      ? []
      : [row('Events', `go to ${webhook}`), row('', `signed with ${webhookSecret()}`)]),
    row('A token', 'npm run --silent token -- ada'),
    row('See it work', 'npm run demo'),
    row('Stop', 'Ctrl-C'),
    '',
  ].join('\n')
}
