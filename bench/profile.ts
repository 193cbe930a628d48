/**
 * npm run bench -- --profile: the CPU time of requests, from V8's sampling profiler in workerd. It covers the Worker and its
 * objects, which share an isolate, and not the local D1.
 */
import { join } from 'node:path'
import { nextFree } from '../scripts/dev/addresses.ts'
import { bundle } from './bundle.ts'
import { publication } from './inbox.ts'
import { keptAlive, listen } from './inbox-clients.ts'
import { hotPaths, sentBody } from './paths.ts'
import { migrate } from './planting.ts'
import { idle, type Runtime, serve } from './serve.ts'
import { tokenOf } from './token.ts'
import { plantTree, USER } from './tree.ts'

/** How many users are published to, each with a socket. */
const USERS = 16
/** How many functions are printed. */
const LINES = 40

/** The part of a V8 CPU profile that is read. A node is a function as called from one place. */
interface Profile {
  nodes: { id: number; callFrame: Frame }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * Sends the hot path or the reading of an inbox with `only` in its title, or publishes without one. Prints the CPU time by package
 * and folder, and by function.
 */
export async function profile({
  scratch,
  seconds,
  only,
}: {
  scratch: string
  seconds: number
  only: string
}) {
  console.error('Bundling the service …')
  const service = await bundle('src/index.ts', join(scratch, 'service'), [], false)
  const port = await nextFree(8_900, '127.0.0.1')
  const runtime = await serve({ service, ...idle }, join(scratch, 'state'), 1, port)
  const origin = await runtime.addressOf('service')
  const send = await sender(runtime, origin, only)

  await sendFor(send, 1_000)
  const inspector = await connect(port)
  await inspector('Profiler.enable')
  await inspector('Profiler.setSamplingInterval', { interval: 200 })
  await inspector('Profiler.start')
  const sent = await sendFor(send, seconds * 1_000)
  const { profile }: { profile: Profile } = JSON.parse(await inspector('Profiler.stop'))
  console.log(`${sent} requests`)
  const files = filesOf(service)
  for (const line of heaviest(profile, sent, (frame) => originOf(frame, files))) console.log(line)
  console.log('')
  for (const line of heaviest(profile, sent, (frame) => nameOf(frame, files))) console.log(line)
  await runtime.stop()
  process.exit() // sockets are open
}

type Send = (count: number) => Promise<unknown>

function sender(runtime: Runtime, origin: string, only: string): Promise<Send> {
  if (only === '') return publications(runtime, origin)
  const read = Object.entries(INBOX_READS).find(([title]) => title.includes(only))?.[1]
  return read ? inboxReads(runtime, origin, read) : requests(runtime, origin, only)
}

/** The readings of an inbox, by their titles in the bench. */
const INBOX_READS = {
  'inbox: list 50 of 1000 notifications': '/v1/notifications',
  'inbox: count the unread': '/v1/notifications/unread-count',
}

/** Fills an inbox. Returns a function that reads it. */
async function inboxReads(runtime: Runtime, origin: string, path: string): Promise<Send> {
  await migrate(runtime.database)
  const publisher = await tokenOf('bench-publisher', 'notifications:publish')
  const user = crypto.randomUUID()
  for (let i = 0; i < 1_000; i++)
    await keptAlive(origin, publisher, 'POST', '/v1/notifications', publication(user))
  const token = await tokenOf(user)
  return () => keptAlive(origin, token, 'GET', path)
}

/** Opens the users' sockets. Returns a function that publishes to the users in turn. */
async function publications(runtime: Runtime, origin: string): Promise<Send> {
  await migrate(runtime.database)
  const publisher = await tokenOf('bench-publisher', 'notifications:publish')
  const users = Array.from({ length: USERS }, () => crypto.randomUUID())
  for (const user of users) await listen(origin, await tokenOf(user))
  return (count) =>
    keptAlive(origin, publisher, 'POST', '/v1/notifications', publication(users[count % USERS] ?? ''))
}

/** Returns a function that sends requests of the hot path with `part` in its title. */
async function requests(runtime: Runtime, origin: string, part: string): Promise<Send> {
  console.error('Planting 10,000 items …')
  const hot = hotPaths(await plantTree(runtime.database)).find(({ title }) => title.includes(part))
  if (!hot) throw new Error(`No hot path has "${part}" in its title.`)
  const token = await tokenOf(USER)
  return (count) =>
    keptAlive(origin, token, hot.method, hot.path, sentBody(hot, count % Math.max(1, hot.bodies.length)))
}

async function sendFor(send: Send, ms: number): Promise<number> {
  const until = performance.now() + ms
  let count = 0
  const work = async () => {
    while (performance.now() < until) await send(count++)
  }
  await Promise.all(Array.from({ length: 4 }, work))
  return count
}

/** Connects to the inspector of the service. Returns a function that sends a DevTools command and resolves with its JSON. */
async function connect(port: number): Promise<(method: string, params?: object) => Promise<string>> {
  const listed = await fetch(`http://127.0.0.1:${port}/json`)
  const targets: { id: string; webSocketDebuggerUrl: string }[] = JSON.parse(await listed.text())
  const target = targets.find(({ id }) => id.includes('service')) ?? targets[0]
  if (!target) throw new Error('the runtime has no inspector')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const opened = Promise.withResolvers<void>()
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('error', () => opened.reject(new Error('the inspector does not answer')))
  await opened.promise
  const waiting = new Map<number, (answer: string) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(JSON.stringify(result))
  })
  let last = 0
  return (method, params = {}) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    waiting.set(++last, resolve)
    socket.send(JSON.stringify({ id: last, method, params }))
    return promise
  }
}

interface Frame {
  functionName: string
  url: string
  lineNumber: number
}

/** The file of each line of a bundle: the bundler writes its path above it. */
function filesOf(source: string): string[] {
  let file = ''
  return source.split('\n').map((line) => {
    file = /^\/\/ ((?:src|node_modules)\/\S+)$/.exec(line)?.[1] ?? file
    return file
  })
}

/** The name of a function, and its file. */
function nameOf({ functionName, url, lineNumber }: Frame, files: readonly string[]): string {
  const name = functionName || '(anonymous)'
  return isBundled(url) ? `${name}, ${files[lineNumber]}` : `${name}, ${url || 'the runtime'}`
}

/** The package or folder of a function. Functions of the runtime itself have no file. */
function originOf({ url, lineNumber }: Frame, files: readonly string[]): string {
  const file = files[lineNumber] ?? ''
  if (!isBundled(url)) return url || 'the runtime'
  return /^node_modules\/(@[^/]+\/)?[^/]+|^src\/[^/]+/.exec(file)?.[0] ?? 'the bundler'
}

function isBundled(url: string): boolean {
  return url.endsWith('index.js')
}

/** The names with the most self time, in microseconds a request, without idle time. */
function heaviest(
  { nodes, samples, timeDeltas }: Profile,
  count: number,
  named: (frame: Frame) => string,
): string[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const own = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const frame = frames.get(id)
    if (!frame || frame.functionName === '(idle)') continue
    const name = named(frame)
    own.set(name, (own.get(name) ?? 0) + (timeDeltas[i] ?? 0))
  }
  const total = [...own.values()].reduce((sum, time) => sum + time, 0)
  const line = (name: string, time: number) =>
    `${(time / count).toFixed(1).padStart(8)} µs ${((time * 100) / total).toFixed(1).padStart(5)} %  ${name}`
  const top = [...own].toSorted(([, one], [, other]) => other - one).slice(0, LINES)
  return [line('all that was not idle', total), ...top.map(([name, time]) => line(name, time))]
}
