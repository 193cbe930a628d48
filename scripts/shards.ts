/** npm run shards: shows which database has which partitions, and moves partitions between databases (docs/scaling.md). */
import { MoveProgress, ShardsOverview } from '../src/operators/shards/schema.ts'
import { askService, number, pause, serviceOf, serviceOptions, serviceUsage } from './operator.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `Usage: npm run shards [-- COMMAND] [--url URL]

  npm run shards                        shows which database has which partitions, and how full it is
  npm run shards -- move 800-8ff DB_1   moves the users of these partitions to DB_1
  npm run shards -- undo                reverts the portion that is being moved

A move can be interrupted at any point: the same command goes on with it. Portions that have been moved stay moved.

${serviceUsage('shards:move', 'SHARDS_TOKEN')}`

const { values, positionals } = readArguments(usage, serviceOptions, { takesOthers: true })
const service = serviceOf(values, { scope: 'shards:move', variable: 'SHARDS_TOKEN', usage })

const [command, ...rest] = positionals
if (command === undefined) await showOverview()
else if (command === 'move') await move(rest)
else if (command === 'undo' && rest.length === 0) await undo()
else refuse(`There is no command ${[command, ...rest].join(' ')}.`, usage)

async function showOverview(): Promise<void> {
  const { databases, move: current } = ShardsOverview.parse(await askService(service, 'GET', '/v1/shards'))
  for (const { database, bytes, users, rows, blocks } of databases) {
    const size = bytes === null ? '' : `, ${inMegabytes(bytes)} of 10,000 MB (plan a further one at 6,000)`
    console.log(`${database}: ${number(users)} users, about ${number(rows)} rows${size}`)
    for (const block of blocks)
      console.log(
        `  ${block.first}-${block.last}  ${number(block.users).padStart(9)} users ${number(block.rows).padStart(11)} rows  ` +
          `a move takes about ${inMegabytes(block.bytes)} and ${number(block.seconds)} s`,
      )
  }
  if (current) {
    const { source, target, stage, partitions, rows_copied } = current
    console.log(
      `\nA move is under way: ${partitions} partitions from ${source} to ${target}, at "${stage}", ${number(rows_copied)} rows copied.\n` +
        'npm run shards -- move goes on with it, npm run shards -- undo takes it back.',
    )
  }
}

async function move([range = '', database = '', ...more]: string[]): Promise<void> {
  const [, first, last] = /^([0-9a-f]{3})(?:-([0-9a-f]{3}))?$/.exec(range) ?? []
  if (first === undefined || database === '' || more.length > 0)
    refuse('Name a range of partitions and the binding of a database, as in: move 800-8ff DB_1', usage)
  const asked = { first, last: last ?? first, database }
  const frozen: number[] = []
  for (;;) {
    const progress = MoveProgress.parse(await askService(service, 'POST', '/v1/shards/move', asked))
    for (const { partitions, rows, ms } of progress.opened) {
      frozen.push(ms)
      console.log(`  ${partitions} partitions, ${number(rows)} rows: frozen for ${(ms / 1_000).toFixed(1)} s`)
    }
    if (progress.state === 'moved') break
    if (progress.state === 'undone') {
      console.error(`The last portion was taken back: ${progress.reason}. Nothing of it was changed.`)
      process.exit(1)
    }
    console.log(whereIn(progress))
    if (progress.state === 'waiting') await pause()
  }
  const longest = Math.max(0, ...frozen) / 1_000
  console.log(
    `${asked.first}-${asked.last} is in ${database}. Frozen at most ${longest.toFixed(1)} s at a time. ` +
      'Put it into SHARDS with your next deployment, so that Workers find it at once.',
  )
}

async function undo(): Promise<void> {
  for (;;) {
    const progress = MoveProgress.parse(await askService(service, 'POST', '/v1/shards/undo', {}))
    if (progress.state === 'moving' && progress.reason === undefined) {
      console.log(whereIn(progress))
      continue
    }
    console.log(
      progress.state === 'idle'
        ? 'No move is under way.'
        : progress.state === 'undone'
          ? 'The portion has been taken back. Portions before it have been moved.'
          : `Not taken back: ${progress.reason}.`,
    )
    process.exit(progress.state === 'moving' ? 1 : 0)
  }
}

function whereIn({ state, job_of, stage, partitions_left, rows_copied }: MoveProgress): string {
  if (state === 'waiting') return `  the job of ${job_of} has its turn before the next portion`
  return `  ${partitions_left} partitions to go; ${stage ?? 'next portion'}${rows_copied ? `, ${number(rows_copied)} rows copied` : ''}`
}

function inMegabytes(bytes: number): string {
  return `${number(bytes / 1e6)} MB`
}
