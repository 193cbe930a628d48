import type { D1Database } from '@cloudflare/workers-types'
import { type City, cities, roundTripMs } from './distance/cities.ts'
import { Clock } from './distance/clock.ts'
import { drawsOf, lagsOf } from './distance/draws.ts'
import { type Copy, ReplicatedDatabase } from './distance/replicated.ts'
import service from './service.js'

export { Inbox, NotificationPublisher, Saves } from './service.js'
export { Janitor } from './waits-worker.ts'

/** The service with a database that has replicas, and with the time of the model: `Date.now` and timers. One request at a time. */
const clock = new Clock(Date.UTC(2026, 10, 27))
Object.defineProperty(Date, 'now', { value: () => clock.now_ms })
Object.defineProperty(globalThis, 'setTimeout', {
  value: (run: () => void, ms: number) => clock.setTimer(run, ms),
})
Object.defineProperty(globalThis, 'clearTimeout', { value: (takeBack?: () => void) => takeBack?.() })

type DistanceEnv = Record<'DB' | 'DB_1' | 'DB_2' | 'DB_3', D1Database>

/**
 * The copies in the regions of D1 that the cities are in. It has none in South America and none in India; where in APAC its copy
 * is, is not published.
 */
function copiesIn({ DB, DB_1, DB_2, DB_3 }: DistanceEnv): { primary: Copy; replicas: Copy[] } {
  return {
    primary: { city: 'Frankfurt', region: 'WEUR', database: DB },
    replicas: [
      { city: 'Virginia', region: 'ENAM', database: DB_1 },
      { city: 'Tokyo', region: 'APAC', database: DB_2 },
      { city: 'Sydney', region: 'OC', database: DB_3 },
    ],
  }
}

/** The mean time between two writes of others, in milliseconds. */
const OTHERS_MS = 100

let database: ReplicatedDatabase | undefined
/** The bindings of the service in each city, with and without replicas. It keeps what it knows by these, as an isolate does. */
const bindings = new Map<string, object>()

function bindingsIn(city: City, isAlone: boolean, seed: number, env: DistanceEnv): object {
  const known = bindings.get(`${city} ${isAlone}`)
  if (known) return known
  const draw = drawsOf(seed)
  database ??= new ReplicatedDatabase({
    clock,
    ...copiesIn(env),
    roundTripMs,
    lagMs: lagsOf(seed),
    sinceOthersMs: () => -OTHERS_MS * Math.log(1 - draw()),
  })
  const { DB_1: _1, DB_2: _2, DB_3: _3, ...others } = env
  const made = { ...others, DB: database.near(city, isAlone) }
  bindings.set(`${city} ${isAlone}`, made)
  return made
}

/**
 * Serves a request as the service does in the city of `X-City`, after the milliseconds of `X-Pause`. `X-Model-Ms` of the answer is how
 * long its trips to the database took.
 */
export default {
  async fetch(request: Request, env: DistanceEnv, context: object): Promise<Response> {
    const given = (name: string) => Number(request.headers.get(name))
    const city = cities[given('X-City')] ?? 'Frankfurt'
    await clock.wait(given('X-Pause'))
    const began_ms = clock.now_ms
    const local = bindingsIn(city, given('X-Alone') === 1, given('X-Seed'), env)
    const response = await service.fetch(request, local, context)
    const headers = new Headers(response.headers)
    headers.set('X-Model-Ms', String(clock.now_ms - began_ms))
    headers.set('X-Model-At', String(began_ms))
    return new Response(response.body, { status: response.status, headers })
  },
}
