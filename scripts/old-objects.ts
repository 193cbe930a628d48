/**
 * Today's Worker with the Durable Objects of another checkout, as it is for five minutes after a deployment, while active objects run
 * the code of before. Both Workers are bundled, and run in one simulator on the state of a development server.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { z } from 'zod'
import { developmentToken, project } from './development.ts'

/** The name by which the development server calls its Worker. The storage of objects belongs to the name. */
const WORKER = 'edge-game-storage'

/** Runs today's Worker on the state, with the objects of the checkout `root`, and acts on it. `folder` is for the bundles. */
export async function servingOldObjects<Result>(
  { root, state, folder, port }: { root: string; state: string; folder: string; port: number },
  act: (origin: string) => Promise<Result>,
): Promise<Result> {
  process.env.WRANGLER_LOG ??= 'error' // hides notes about wrangler.toml and .dev.vars
  const [today, before] = [bundled(project, join(folder, 'today')), bundled(root, join(folder, 'objects'))]
  const objects = Object.entries(before.durableObjects ?? {}).map(([binding, object]) => {
    const named = typeof object === 'string' ? { className: object } : object
    return [binding, { ...named, scriptName: WORKER }]
  })
  const simulator = new Miniflare(
    convertV4MiniflareOptions({
      host: 'localhost',
      port,
      resourcePersistencePath: join(state, 'v3'),
      logRequests: false,
      handleStructuredLogs: ({ level, message }) => level === 'error' && console.error(message),
      cf: false, // else it would fetch a sample request.cf
      telemetry: { enabled: false },
      workers: [
        {
          ...today,
          name: 'today',
          durableObjects: { ...today.durableObjects, ...Object.fromEntries(objects) },
        },
        // A queue has one consumer.
        { ...before, name: WORKER, queueConsumers: {}, assets: undefined },
      ],
    }),
  )
  try {
    await simulator.ready
    return await act(`http://localhost:${port}`)
  } finally {
    await simulator.dispose()
  }
}

/** A checkout's Worker, bundled as its development server bundles it, with its bindings. */
function bundled(root: string, folder: string): V4WorkerOptions {
  execFileSync('wrangler', ['deploy', 'src/local/worker.ts', '--dry-run', '--outdir', folder], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, PATH: `${root}/node_modules/.bin:${process.env.PATH}` },
  })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
  const entry = join(folder, 'worker.js')
  return { ...workerOptions, modulesRoot: folder, modules: [{ type: 'ESModule', path: entry }] }
}

/** A request of a player, or of a service, which has a scope. */
export interface Request {
  method?: string
  path: string
  /** An object is sent as JSON. */
  body?: string | object
  scope?: string
}

/** Sends a request with a token of the development server. */
export async function send(
  origin: string,
  user_id: string,
  { method = 'GET', path, body, scope }: Request,
): Promise<Response> {
  const type = typeof body === 'string' ? 'application/octet-stream' : 'application/json'
  const token = await developmentToken(user_id, { scope })
  return fetch(origin + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': type }) },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  })
}

/** The method and the path of a request. */
export function nameOf({ method = 'GET', path }: Request): string {
  return `${method} ${path}`
}

/** What a player and a service do, so that each method of each class is called. */
function requests(user_id: string): Request[] {
  const message = { type: 'studio.old', data: {} }
  const publish = { method: 'POST', path: '/v1/notifications', scope: 'notifications:publish' }
  return [
    { ...publish, body: { user_id, region: 'weur', ...message } },
    { ...publish, body: { user_id, persistent: false, ...message } },
    { path: '/v1/notifications' },
    { path: '/v1/notifications/unread-count' },
    { method: 'POST', path: '/v1/notifications/read', body: {} },
    { method: 'DELETE', path: '/v1/notifications/00000000-0000-7000-8000-000000000000' },
    { method: 'POST', path: '/v1/notifications/delete', body: { all: true } },
    { method: 'PUT', path: '/v1/saves/old', body: 'saved' },
    { path: '/v1/saves' },
    { path: '/v1/saves/old' },
    { path: '/v1/saves/old/revisions' },
    { method: 'DELETE', path: '/v1/saves/old' },
    { method: 'POST', path: '/v1/saves/old/restore', body: {} },
    { path: `/v1/users/${user_id}`, scope: 'users:read' },
    { method: 'DELETE', path: `/v1/users/${user_id}`, scope: 'users:erase' },
    { method: 'POST', path: '/development/job' },
  ]
}

/**
 * Has today's Worker call every method of objects that run older code. A method that they lack is UNAVAILABLE, and what they have
 * works. Returns the requests that were UNAVAILABLE.
 *
 * @throws Error when another answer is none of a service that works
 */
export async function callOldObjects(origin: string, user_id: string): Promise<string[]> {
  const unavailable: string[] = []
  const call = async (request: Request) => {
    const answer = await send(origin, user_id, request)
    const text = await answer.text()
    const isExpected = answer.ok || text.includes('"NOTIFICATION_NOT_FOUND"')
    if (answer.status === 503 && answer.headers.has('Retry-After')) unavailable.push(nameOf(request))
    else if (!isExpected) throw new Error(`${nameOf(request)} answered ${answer.status}: ${text}`)
    return text
  }
  const message = { type: 'studio.old', data: {} }
  const announcements = { path: '/v1/announcements', scope: 'announcements:publish' }
  const expires_at = Math.floor(Date.now() / 1_000) + 3_600
  const made = await call({ ...announcements, method: 'POST', body: { ...message, expires_at } })
  for (const request of requests(user_id)) await call(request)
  // Else the inbox of each player who looks would get it, on this state.
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(made))
  await call({ ...announcements, method: 'DELETE', path: `${announcements.path}/${id}` })
  return unavailable
}
