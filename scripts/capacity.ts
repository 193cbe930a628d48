/**
 * npm run capacity [-- --players 10000,1000000 …]: resources and monthly costs for a number of players. Computed from the
 * measured costs of rows and requests (`npm run measure`) and an assumed day of a player, which options change.
 */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Assumptions, estimate } from './capacity/estimate.ts'
import { day } from './capacity/model.ts'
import { costs, each, indexes, needs, plans, savesTable } from './capacity/print.ts'
import { purposes } from './capacity/purposes.ts'
import { monthOfSaves } from './capacity/saves.ts'
import { project } from './development.ts'
import { orRefuse, readArguments, refuse } from './usage.ts'

const usage = `Usage: npm run capacity [-- OPTIONS]
  --players 10000        how many players; several numbers with commas between
  --active 0.1           the part of them who play on a day
  --creators 0.02        the part of them who make things for others
  --day "browse=9,…"     requests of a player on such a day, in place of the assumed ones; --requests lists them
  --peak 4               how much busier the busiest second is than the average one
  --fill-gb 6            how full a database is to be
  --content-mb 5         the content of a player
  --notifications 30     what an inbox has
  --cpu-ms 3             CPU time of a request
  --save-slots 2         the slots of saves that a player has, each with five revisions
  --save-kib 32          the size of a save
  --object-ms 10         how long a call keeps an inbox or the saves active
  --events 1             the part of the events that are sent; 0 without WEBHOOK_URL
  --hits 0.8             the part of the requests for pictures that the cache answers; 0 without it
  --metrics 0            the part of the requests with a data point in Analytics Engine; 1 with a dataset
  --saves                prints a month of the saves of a million players instead, as uploads and as slots
  --each                 prints what each request reads, writes and costs instead
  --indexes              prints what each index costs and is for instead`

const { values } = readArguments(usage, {
  players: { type: 'string' },
  active: { type: 'string', default: '0.1' },
  creators: { type: 'string', default: '0.02' },
  day: { type: 'string', default: '' },
  peak: { type: 'string', default: '4' },
  'fill-gb': { type: 'string', default: '6' },
  'content-mb': { type: 'string', default: '5' },
  notifications: { type: 'string', default: '30' },
  'cpu-ms': { type: 'string', default: '3' },
  'save-slots': { type: 'string', default: '2' },
  'save-kib': { type: 'string', default: '32' },
  'object-ms': { type: 'string', default: '10' },
  events: { type: 'string', default: '1' },
  hits: { type: 'string', default: '0.8' },
  metrics: { type: 'string', default: '0' },
  requests: { type: 'boolean', default: false },
  saves: { type: 'boolean', default: false },
  each: { type: 'boolean', default: false },
  indexes: { type: 'boolean', default: false },
})
if (values.requests) {
  for (const [request, times] of Object.entries(day)) console.log(`${request}=${times}`)
  process.exit(0)
}

const Numbers = z.record(z.string(), z.number())
/** The requests of a day and rare ones, where there is little; over several databases, what is different in that. */
const Table = z.object({ requests: z.record(z.string(), z.object({ few: Numbers })) })
const ofDay = (name: string) => {
  const table = Table.parse(measured(name))
  return Object.fromEntries(Object.entries(table.requests).map(([request, { few }]) => [request, few]))
}
const requests = ofDay('requests')
const several = ofDay('trips')
const rows = z
  .object({ bytes: Numbers, removed_row: z.object({ rows_read: z.number(), rows_written: z.number() }) })
  .parse(measured('rows'))
const events = z
  .object({
    requests: Numbers,
    written: z.object({ rows_written: z.number() }),
    delivered: z.object({ rows_read: z.number(), rows_written: z.number() }),
  })
  .parse(measured('events'))

if (values.each) {
  console.log(each(requests, positive('cpu-ms', values['cpu-ms'])))
  process.exit(0)
}
if (values.indexes) {
  const written = z.record(z.string(), z.object({ table: z.string(), rows_written: Numbers }))
  console.log(indexes(written.parse(measured('indexes')), purposes))
  process.exit(0)
}

const assumed: Omit<Assumptions, 'players'> = {
  day: { ...day, ...changedDay() },
  active: part('active'),
  creators: part('creators'),
  peak: positive('peak', values.peak),
  fill_gb: positive('fill-gb', values['fill-gb']),
  content_mb: positive('content-mb', values['content-mb']),
  notifications: positive('notifications', values.notifications),
  cpu_ms: positive('cpu-ms', values['cpu-ms']),
  save_slots: positive('save-slots', values['save-slots']),
  save_kib: positive('save-kib', values['save-kib']),
  object_ms: positive('object-ms', values['object-ms']),
  events: part('events'),
  hits: part('hits'),
  metrics: part('metrics'),
}

const figures = { requests, several, rows, events }
if (values.saves) {
  const players = positive('players', values.players ?? '1000000')
  console.log(savesTable(monthOfSaves({ ...assumed, players }, figures)))
  process.exit(0)
}

const estimates = orRefuse(
  () =>
    (values.players ?? '10000,1000000,10000000,100000000')
      .split(',')
      .map((players) => estimate({ ...assumed, players: positive('players', players) }, figures)),
  usage,
)
console.log(`${needs(estimates)}\n\n${costs(estimates)}\n`)
console.log(plans(estimates))
const [first] = estimates
if (first)
  console.log(
    `\nAssumed: ${assumed.active * 100} % of the players play on a day, with ${requestsADay()} requests each; ${Math.round(first.bytes_per_player / 10) / 100} KB of D1 a player.`,
  )

function measured(name: string): unknown {
  return JSON.parse(readFileSync(`${project}scripts/capacity/${name}.json`, 'utf8'))
}

function requestsADay(): number {
  return Math.round(Object.values(assumed.day).reduce((total, times) => total + times, 0))
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    refuse(`--${name} takes a number, not "${text}".`, usage)
  return value
}

function part(name: 'active' | 'creators' | 'events' | 'hits' | 'metrics'): number {
  const value = positive(name, values[name])
  if (value > 1) refuse(`--${name} is a part of all, from 0 to 1.`, usage)
  return value
}

/** Parses `--day`: `list files=8,browse=9`. */
function changedDay(): Record<string, number> {
  const parts = values.day.split(',').filter(Boolean)
  return Object.fromEntries(
    parts.map((one) => {
      const [, request = '', times = ''] = /^\s*(.+?)\s*=\s*(.+?)\s*$/.exec(one) ?? []
      if (!(request in requests)) refuse(`"${one}" names no request; --requests lists them.`, usage)
      return [request, positive('day', times)]
    }),
  )
}
