/** npm run reconcile: compares rows with objects after a restore, and repairs differences (docs/going-back.md). */
import { appendFileSync, writeFileSync } from 'node:fs'
import { Reconciled, ReconcileExtent, type ReconcileFinding } from '../src/operators/reconcile/schema.ts'
import { askService, serviceOf, serviceOptions, serviceUsage } from './operator.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `Usage: npm run reconcile [-- --repair] [--url URL] [--token TOKEN]

Compares the rows of every database with the objects of the bucket, both ways, while the service runs. Without --repair
nothing is changed.

  --repair           repairs the differences that can be repaired: see docs/going-back.md#what-the-comparison-finds
  --accept-missing   marks files as failed even where much of the content is missing
  --report FILE      writes each finding into the file, a line of JSON each
  --database NAME    only this database (DB, DB_1, …)
  --from POSITION    resumes at the position that an interrupted run has printed
${serviceUsage('content:reconcile', 'RECONCILE_TOKEN')}`

const { values } = readArguments(usage, {
  ...serviceOptions,
  repair: { type: 'boolean', default: false },
  'accept-missing': { type: 'boolean', default: false },
  report: { type: 'string' },
  database: { type: 'string' },
  from: { type: 'string' },
})
const service = serviceOf(values, { scope: 'content:reconcile', variable: 'RECONCILE_TOKEN', usage })
/** Each problem in words, and what a repair does. */
const meanings: Record<string, string> = {
  marker_is_missing: 'markers of shared content are missing (repair: put again)',
  hint_is_missing: 'hints to another database are missing (repair: written again)',
  erased_user_is_back: 'users who were erased are back (repair: erased again)',
  content_is_missing:
    'rows without their content (repair: files are marked as failed; versions stay as they are)',
  content_is_queued: 'contents wait for their deletion although a row has them (repair: taken off the list)',
  object_has_no_record: 'objects without a row (repair: queued, and removed when the grace is over)',
  upload_has_arrived: 'open uploads have their content (nothing is repaired: their clients complete them)',
  counters_differ: 'counters of users, events or favorites are wrong (repair: counted anew)',
  measure_differs:
    'what moderators decided is not what their things have (repair: the case wins, and a measure without a case is taken away)',
  entry_differs: 'entries of the catalogue are not as their assets (repair: written anew by the job)',
  mutes_differ: 'inboxes have other muted players than the database (repair: copied anew by the job)',
  not_paired: 'databases are not paired with the bucket (repair: paired by the next run of the job)',
}

const { databases, stages } = ReconcileExtent.parse(await askService(service, 'GET', '/v1/reconcile'))
if (values.database !== undefined && !databases.includes(values.database))
  refuse(`There is no database ${values.database}: there are ${databases.join(', ')}.`, usage)
const chosen = values.database === undefined ? databases : [values.database]
// Each stage runs on all databases before the next: the first stages repair what protects content. Erasures run once for all.
const work = stages.flatMap((stage) =>
  (stage === 'erasures' ? databases.slice(0, 1) : chosen).map((database) => ({ stage, database })),
)
let [from, after] = positionOf(values.from)
if (values.report !== undefined && values.from === undefined) writeFileSync(values.report, '')

/** How many findings of each kind are shown without a report. */
const MOST_SHOWN = 20

const counts = new Map<string, { found: number; repaired: number }>()
const erased = new Set<string>()
let looked_at = 0
let isUnderWay = true

process.on('exit', () => {
  if (isUnderWay) console.error(`Go on with the same options, and with --from '${from}:${after}'`)
})
process.on('SIGINT', () => process.exit(130))

for (const { stage, database } of work.slice(from)) {
  let looked = 0
  for (;;) {
    const page = Reconciled.parse(
      await askService(service, 'POST', '/v1/reconcile', {
        database,
        stage,
        after,
        repair: values.repair,
        accept_missing: values['accept-missing'],
      }),
    )
    looked += page.looked_at
    take(database, page.found)
    if (page.refused !== undefined) {
      console.error(`${stage} of ${database}: ${page.refused}. Nothing of this page was repaired.`)
      process.exit(1)
    }
    if (page.next === null) break
    after = page.next
    if (process.stderr.isTTY) process.stderr.write(`\r${stage} of ${database}: ${looked} `)
  }
  if (process.stderr.isTTY) process.stderr.write('\r')
  console.log(`${stage} of ${database}: ${looked} looked at`)
  looked_at += looked
  from++
  after = ''
}

isUnderWay = false
for (const [problem, { found, repaired }] of counts)
  console.log(`${found} ${meanings[problem] ?? problem}${repaired > 0 ? `: ${repaired} repaired` : ''}`)
const left = [...counts.values()].reduce((sum, { found, repaired }) => sum + found - repaired, 0)
console.log(
  counts.size === 0
    ? `Rows and objects agree: ${looked_at} looked at.`
    : values.repair
      ? left === 0
        ? 'All of it is repaired.'
        : `${left} of it can’t be repaired: docs/going-back.md#what-the-comparison-finds says what is left to do.`
      : 'Nothing was changed. With --repair it is.',
)
// Like diff: 0 only when no difference is left.
process.exit(left === 0 ? 0 : 1)

/** Counts and reports findings. Skips the content of users who will be erased again. */
function take(database: string, found: ReconcileFinding[]): void {
  for (const finding of found) {
    const { problem, owner_id = '', id, is_repaired } = finding
    if (problem === 'erased_user_is_back') erased.add(id)
    else if (erased.has(owner_id)) continue
    const count = counts.get(problem) ?? { found: 0, repaired: 0 }
    counts.set(problem, { found: count.found + 1, repaired: count.repaired + (is_repaired ? 1 : 0) })
    const line = JSON.stringify({ database, ...finding })
    if (values.report !== undefined) appendFileSync(values.report, `${line}\n`)
    else if (count.found < MOST_SHOWN) console.log(line)
    else if (count.found === MOST_SHOWN) console.log(`… more of ${problem}: --report FILE has all of them`)
  }
}

function positionOf(position: string | undefined): [number, string] {
  if (position === undefined) return [0, '']
  const [, place = '', key = ''] = /^(\d+):(.*)$/s.exec(position) ?? []
  if (place === '') refuse('--from takes the position that an interrupted run has printed.', usage)
  return [Number(place), key]
}
