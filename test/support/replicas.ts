import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { type City, roundTripMs } from '../../bench/distance/cities.ts'
import { Clock } from '../../bench/distance/clock.ts'
import { ReplicatedDatabase } from '../../bench/distance/replicated.ts'
import { layOutOf } from '../../scripts/partition-layout.ts'
import { databasesOf } from '../../src/platform/shards/map.ts'
import { everyDatabase } from './databases.ts'
import { overridden } from './meter.ts'
import { type Fetch, serviceWith } from './service.ts'

/** How long a write takes to a replica of these tests, in milliseconds. */
export const LAG_MS = 5_000

/** A clock of the model. `Date` follows it. */
export function newClock(): Clock {
  return new Clock(Date.now(), (now_ms) => vi.setSystemTime(now_ms))
}

/** A model of the database with this name: its primary is in Frankfurt, and a replica in Sydney. */
export async function replicatedDatabase(
  clock: Clock,
  name: string,
  lagMs = () => LAG_MS,
): Promise<ReplicatedDatabase> {
  const { [name]: database = env.DB } = databasesOf(env)
  const replica: unknown = Reflect.get(env, `${name}_REPLICA`)
  if (!isDatabase(replica)) throw new Error(`${name} has no replica (vitest.config.ts)`)
  await applyD1Migrations(replica, env.MIGRATIONS)
  const index = everyDatabase.indexOf(database)
  if (index >= 0)
    for (const statement of layOutOf(index, everyDatabase.length)) await replica.prepare(statement).run()
  return new ReplicatedDatabase({
    clock,
    primary: { city: 'Frankfurt', region: 'WEUR', database },
    replicas: [{ city: 'Sydney', region: 'OC', database: replica }],
    roundTripMs,
    lagMs,
  })
}

function isDatabase(value: unknown): value is D1Database {
  return typeof value === 'object' && value !== null && 'withSession' in value
}

/** Every database with a replica, and devices that use the service over them. */
export async function replicated(lagMs = () => LAG_MS) {
  const clock = newClock()
  const databases = await Promise.all(
    Object.entries(databasesOf(env)).map(async ([name, database]) => {
      const model = await replicatedDatabase(clock, name, lagMs)
      return { name, in: (city: City) => overridden(database, { ...model.near(city) }) }
    }),
  )
  const serviceIn = (city: City) =>
    serviceWith(Object.fromEntries(databases.map((database) => [database.name, database.in(city)])))
  const services: Record<Place, Fetch> = { Frankfurt: serviceIn('Frankfurt'), Sydney: serviceIn('Sydney') }

  return {
    clock,
    /** A new device: it sends the greatest bookmark that it has seen, as both clients do. */
    deviceIn: (city: Place) => new Device(services, city),
    /** How long the trips to the databases take that some work makes, in milliseconds of the model. */
    async timeOf(work: () => Promise<unknown>): Promise<number> {
      const began_ms = clock.now_ms
      await work()
      return clock.now_ms - began_ms
    },
  }
}

type Place = 'Frankfurt' | 'Sydney'

class Device {
  /** Where the device is now. */
  city: Place
  readonly #services: Record<Place, Fetch>
  #bookmark = ''

  constructor(services: Record<Place, Fetch>, city: Place) {
    this.#services = services
    this.city = city
  }

  /** As after a restart. */
  forgetBookmark(): void {
    this.#bookmark = ''
  }

  fetch: Fetch = async (request) => {
    const headers = new Headers(request.headers)
    if (this.#bookmark) headers.set('X-D1-Bookmark', this.#bookmark)
    const response = await this.#services[this.city](new Request(request, { headers }))
    const bookmark = response.headers.get('X-D1-Bookmark') ?? ''
    if (bookmark > this.#bookmark) this.#bookmark = bookmark
    return response
  }
}
