/** npm run events: lists, resends and discards undelivered events (docs/events.md). */
import { ChangedEvents, EventsOverview, type UndeliveredEvent } from '../src/operators/events/schema.ts'
import { askService, number, serviceOf, serviceOptions, serviceUsage } from './operator.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `Usage: npm run events [-- COMMAND] [--url URL]

  npm run events                      lists the waiting and the parked events, with the last error
  npm run events -- resend ID         sends an event again, as if it were new
  npm run events -- resend all        sends all parked events again
  npm run events -- discard ID        removes a parked event for good
  npm run events -- discard all       removes all parked events for good

  --limit N      how many events of each database are shown, from 1 to 500 (20)
${serviceUsage('events:manage', 'EVENTS_TOKEN')}`

const { values, positionals } = readArguments(
  usage,
  {
    ...serviceOptions,
    limit: { type: 'string', default: '20' },
  },
  { takesOthers: true },
)
const service = serviceOf(values, { scope: 'events:manage', variable: 'EVENTS_TOKEN', usage, attempts: 1 })

const now = Math.floor(Date.now() / 1_000)
const [command = 'list', which, ...rest] = positionals
if (command === 'list' && which === undefined) await list()
else if ((command === 'resend' || command === 'discard') && which !== undefined && rest.length === 0)
  await change(command, which)
else refuse(`There is no command ${positionals.join(' ')}.`, usage)

async function list(): Promise<void> {
  const answer = await askService(service, 'GET', `/v1/events?limit=${encodeURIComponent(values.limit)}`)
  const { is_configured, databases, waiting, parked } = EventsOverview.parse(answer)
  if (!is_configured) console.log('WEBHOOK_URL is not set: nothing is written or sent.')
  for (const database of databases) {
    const since = database.oldest_at === null ? '' : `, the oldest for ${span(now - database.oldest_at)}`
    const dropped = database.dropped > 0 ? `; ${number(database.dropped)} dropped` : ''
    console.log(
      `${database.database}: ${many(database.waiting)} waiting${since}; ${many(database.parked)} parked${dropped}`,
    )
  }
  show('Waiting', waiting, ({ attempts, next_at }) =>
    attempts === 0 ? 'not tried yet' : `${times(attempts)}, next ${inTime(next_at - now)}`,
  )
  show(
    'Parked',
    parked,
    ({ attempts, parked_at }) => `${times(attempts)}, parked ${span(now - (parked_at ?? now))} ago`,
  )
  if (parked.length > 0)
    console.log(
      '\nParked events are removed after 30 days. Once the receiver is mended: npm run events -- resend all. docs/events.md says more.',
    )
}

function show(title: string, events: UndeliveredEvent[], stateOf: (event: UndeliveredEvent) => string): void {
  if (events.length === 0) return
  console.log(`\n${title}`)
  for (const event of events) {
    console.log(`  ${event.id}  ${event.type}  ${span(now - event.created_at)} old; ${stateOf(event)}`)
    const { last_error, last_failed_at } = event
    const since = last_failed_at === null ? '' : `, ${span(now - last_failed_at)} ago`
    if (last_error !== null) console.log(`    ${last_error}${since}`)
  }
}

async function change(verb: 'resend' | 'discard', name: string): Promise<void> {
  const body = name === 'all' ? { all: true } : { id: name }
  let sum = 0
  for (let hasMore = true; hasMore; ) {
    const changed = ChangedEvents.parse(await askService(service, 'POST', `/v1/events/${verb}`, body))
    sum += changed.events
    hasMore = changed.has_more
  }
  if (sum === 0 && name !== 'all') {
    console.error(verb === 'resend' ? `No event ${name} waits or is parked.` : `No event ${name} is parked.`)
    process.exit(1)
  }
  const done = verb === 'resend' ? 'sent again' : 'discarded'
  console.log(sum === 1 ? `1 event is ${done}.` : `${number(sum)} events are ${done}.`)
}

function many(count: number): string {
  return count >= 10_000 ? '10,000 or more' : number(count)
}

function times(attempts: number): string {
  return attempts === 1 ? 'tried once' : `tried ${attempts} times`
}

function inTime(seconds: number): string {
  return seconds <= 0 ? 'now' : `in ${span(seconds)}`
}

/** A time in its largest unit: "3 h". */
function span(seconds: number): string {
  const [unit, length] = [['d', 86_400] as const, ['h', 3_600] as const, ['min', 60] as const].find(
    ([, length]) => seconds >= 2 * length,
  ) ?? ['s', 1]
  return `${Math.max(0, Math.floor(seconds / length))} ${unit}`
}
