/** Estimates the storage, databases, requests and billed amounts for a number of players. */
import {
  alarms,
  asksCatalogue,
  cached,
  creator,
  fetches,
  left,
  light,
  OPERATIONS_OF_MESSAGE,
  REVISIONS_OF_SLOT,
  RUNS_OF_JOB,
  sends,
} from './model.ts'
import { type Item, limits } from './prices.ts'

/** The assumptions of an estimate. */
export interface Assumptions {
  players: number
  /** The requests of an active player a day, by name. */
  day: Record<string, number>
  /** The fraction of the players who are active on a day. */
  active: number
  /** The fraction of the players who make content for others. */
  creators: number
  /** The peak request rate as a multiple of the average rate. */
  peak: number
  /** The target size of a database, in GB. */
  fill_gb: number
  /** The content of a player in R2, in MB. */
  content_mb: number
  /** Notifications that an inbox has. */
  notifications: number
  /** The slots of saves that a player has, with all their revisions, and the size of a save in KiB. */
  save_slots: number
  save_kib: number
  /** The CPU time of a request in the Worker, and the time that a call keeps an object active, in milliseconds. */
  cpu_ms: number
  object_ms: number
  /** The fraction of the events that are sent: 0 without WEBHOOK_URL. */
  events: number
  /** The fraction of the requests for pictures that the cache answers: 0 without it. */
  hits: number
  /** The fraction of the requests of which Analytics Engine gets a data point: 0 without a dataset. */
  metrics: number
}

/** Measurements (`npm run measure`). */
export interface Measured {
  /** The cost of each request with one database bound; and what is different with three. A column that is left out is 0. */
  requests: Record<string, Record<string, number>>
  several: Record<string, Record<string, number>>
  rows: { bytes: Record<string, number>; removed_row: { rows_read: number; rows_written: number } }
  /** How many events each request writes, and the rows read and written to write and to deliver an event. */
  events: {
    requests: Record<string, number>
    written: { rows_written: number }
    delivered: { rows_read: number; rows_written: number }
  }
}

export interface Estimate {
  players: number
  data_gb: number
  bytes_per_player: number
  databases: number
  /** Requests that reach the Worker a second. */
  average: number
  peak: number
  /** Trips to each database a second, at the peak; `writes`: those with a write. */
  trips: number
  writes: number
  /** Trips to the database of the catalogue a second, at the peak, for its pages alone. */
  catalogue: number
  first_limit: string
  /** The billed amounts of a month. */
  amounts: Record<Item, number>
}

const [SECONDS, DAYS, GB] = [86_400, 30.4, 1e9]

export function estimate(given: Assumptions, { requests, several, rows, events }: Measured): Estimate {
  const { players, active, fill_gb, peak } = given
  const day = Object.entries(given.day)
  const known = (request: string) => {
    const price = requests[request]
    if (!price)
      throw new Error(
        `There is no request "${request}". These are measured: ${Object.keys(requests).join(', ')}.`,
      )
    return price
  }
  const bytesOf = (held: Record<string, number>) =>
    sum(Object.entries(held).map(([kind, count]) => count * (rows.bytes[kind] ?? 0)))
  const passing = sum(
    day.flatMap(([request, times]) =>
      (left[request] ?? []).map(({ kind, days }) => times * days * (rows.bytes[kind] ?? 0)),
    ),
  )
  const bytes_per_player =
    (1 - given.creators) * bytesOf(light) + given.creators * bytesOf(creator) + active * passing
  const data_gb = (players * bytes_per_player) / GB
  const databases = Math.max(1, Math.ceil(data_gb / fill_gb))
  const isOne = databases === 1

  /** How many trips a request makes. */
  const tripsOf = (request: string) => {
    const { trips = 0 } = known(request)
    return isOne ? trips : (several[request]?.trips ?? trips)
  }
  /** With several databases each trip reads the state of its partition. */
  const readOf = (request: string) => {
    const { rows_read = 0, trips = 0 } = known(request)
    return isOne || trips === 0 ? rows_read : rows_read + tripsOf(request)
  }
  /** The part of the requests of a kind that reaches the Worker. */
  const reaching = (request: string) => (cached.includes(request) ? 1 - given.hits : 1)
  const daily = (cost: (request: string) => number) =>
    players * active * sum(day.map(([request, times]) => times * reaching(request) * cost(request)))
  const measured = (column: string) => daily((request) => known(request)[column] ?? 0)
  const removed = daily((request) => (left[request] ?? []).length)
  const reachedADay = daily(() => 1)
  const requestsADay = players * active * sum(Object.values(given.day))
  const writing = daily((request) => ((known(request).rows_written ?? 0) > 0 ? 1 : 0))
  const perSecond = (amount: number) => (amount / SECONDS) * peak

  const sent = given.events * daily((request) => events.requests[request] ?? 0)
  const jobs = RUNS_OF_JOB * databases
  const rung = daily((request) => alarms[request] ?? 0)
  const calls = measured('inbox_calls') + measured('saves_calls') + rung
  const writesToR2 = (request: string) =>
    (isOne ? undefined : several[request]?.r2_class_a) ?? known(request).r2_class_a ?? 0
  const monthly: Record<Item, number> = {
    // An upper bound: a queue consumer receives several messages in one request.
    // What the cache answers is a request, too, and nothing else.
    'Workers: requests': requestsADay + sent + jobs,
    'Workers: CPU, ms': reachedADay * given.cpu_ms,
    // The service logs a line a request, a delivery and a run of the job. Invocation logs are off.
    'Workers: log events': reachedADay + sent + jobs,
    'Analytics Engine: data points': given.metrics * (reachedADay + jobs),
    'D1: rows read': daily(readOf) + removed * rows.removed_row.rows_read + sent * events.delivered.rows_read,
    'D1: rows written':
      measured('rows_written') +
      removed * rows.removed_row.rows_written +
      sent * (events.written.rows_written + events.delivered.rows_written),
    'D1: stored, GB': 0,
    'R2: stored, GB': 0,
    'R2: writes (class A)': daily((request) => writesToR2(request) + (sends.includes(request) ? 1 : 0)),
    'R2: reads (class B)': measured('r2_class_b') + daily((request) => (fetches.includes(request) ? 1 : 0)),
    'Queues: operations': sent * OPERATIONS_OF_MESSAGE,
    'Durable Objects: requests': calls + jobs,
    'Durable Objects: GB-s': (calls * given.object_ms * 0.128) / 1_000,
    'Durable Objects: rows read': measured('inbox_rows_read') + measured('saves_rows_read'),
    // Setting an alarm writes a row.
    'Durable Objects: rows written': measured('inbox_rows_written') + measured('saves_rows_written') + rung,
    'Durable Objects: stored, GB': 0,
  }
  for (const amount of Object.keys(monthly).filter(isItem)) monthly[amount] *= DAYS
  const { inbox = 0, notification = 0, saves = 0, revision = 0 } = rows.bytes
  const bytesOfInbox = inbox + given.notifications * notification
  const bytesOfSlot = REVISIONS_OF_SLOT * (given.save_kib * 1_024 + revision)
  const bytesOfSaves = given.save_slots === 0 ? 0 : saves + given.save_slots * bytesOfSlot
  monthly['D1: stored, GB'] = data_gb
  monthly['R2: stored, GB'] = (players * given.content_mb) / 1_000
  monthly['Durable Objects: stored, GB'] = (players * (bytesOfInbox + bytesOfSaves)) / GB

  const trips = perSecond(daily(tripsOf)) / databases
  const catalogue = perSecond(daily((request) => (asksCatalogue.includes(request) ? 1 : 0)))
  return {
    players,
    data_gb,
    bytes_per_player,
    databases,
    average: reachedADay / SECONDS,
    peak: perSecond(reachedADay),
    trips,
    writes: perSecond(writing) / databases,
    catalogue,
    first_limit: firstLimit({ data_gb, trips, catalogue }),
    amounts: monthly,
  }
}

/** The platform limits that this many players exceed, or the one that they meet first. */
function firstLimit({
  data_gb,
  trips,
  catalogue,
}: {
  data_gb: number
  trips: number
  catalogue: number
}): string {
  const met: string[] = []
  if (catalogue > limits.tripsPerSecond / 2) met.push('the trips of the catalogue’s database')
  if (data_gb > limits.accountGB)
    met.push(`the account’s ${limits.accountGB / 1_000} TB in D1, which is raised on request`)
  if (trips > limits.tripsPerSecond / 2) met.push('the trips of a database')
  return met.length > 0 ? met.join('; ') : `the ${limits.databaseGB} GB of a database, not its writer`
}

function isItem(name: string): name is Item {
  return name.includes(': ')
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
