/** `npm run dev -- --shards N`: spreads the data of a state folder over databases, and notes over how many. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { project } from '../development.ts'

/** The maximum of `--shards`. Migrating takes two seconds for each database. */
const MAX_SHARDS = 16

/** The number of partitions. src/platform/db/id.ts can't be imported: its code is for the Workers runtime. */
const PARTITIONS = 4096

/** The name of each binding when N databases are bound. */
export function bindingsOf(shards: number): string[] {
  return Array.from({ length: shards }, (_, i) => (i === 0 ? 'DB' : `DB_${i}`))
}

interface Range {
  first: string
  last: string
  database: string
}

/** The partitions split into equal ranges, one for each database. */
function evenRanges(shards: number): Range[] {
  const first = (i: number) => Math.ceil((i * PARTITIONS) / shards)
  const text = (partition: number) => partition.toString(16).padStart(3, '0')
  return bindingsOf(shards).map((database, i) => ({
    first: text(first(i)),
    last: text(first(i + 1) - 1),
    database,
  }))
}

/** The value of the variable `SHARDS` for equal ranges. */
export function shardsVariable(shards: number): string {
  return evenRanges(shards)
    .map(({ first, last, database }) => `${first}-${last}:${database}`)
    .join(',')
}

/** The number of databases that a state folder's data are spread over, and whether the last spreading has finished. */
interface Spread {
  shards: number
  isDone: boolean
}

const noteOf = (state: string) => join(state, 'shards.json')

/** The noted spread of a state folder. */
export function spreadOf(state: string): Spread {
  if (!existsSync(noteOf(state))) return { shards: 1, isDone: true }
  const { shards, isDone }: Spread = JSON.parse(readFileSync(noteOf(state), 'utf8'))
  return { shards, isDone }
}

/** Notes the spread of a state folder, before and after its partitions are moved. */
function noteSpread(state: string, spread: Spread): void {
  mkdirSync(state, { recursive: true })
  if (spread.shards === 1 && spread.isDone) rmSync(noteOf(state), { force: true })
  else writeFileSync(noteOf(state), JSON.stringify(spread))
}

/**
 * Has the server on `port` move partitions until the data of its state folder are spread evenly over `shards` databases. The
 * next run finishes an interrupted one.
 *
 * @throws Error when partitions can't be moved
 */
export async function spreadEvenly(state: string, shards: number, port: number): Promise<void> {
  const before = spreadOf(state)
  if (before.isDone && before.shards === shards) return
  console.log(
    shards === 1 ? 'Moving everything into one database …' : `Spreading the data over ${shards} databases …`,
  )
  noteSpread(state, { shards: Math.max(shards, before.shards), isDone: false })
  for (const { first, last, database } of evenRanges(shards)) {
    // All partitions are in the first database already.
    if (before.isDone && before.shards === 1 && database === 'DB') continue
    const range = `${first}-${last}`
    const command = ['scripts/shards.ts', 'move', range, database, '--port', String(port)]
    await promisify(execFile)(process.execPath, command, { cwd: project }).catch((error: Error) => {
      throw new Error(`The partitions ${range} could not be moved to ${database}: ${error.message}`)
    })
  }
  noteSpread(state, { shards, isDone: true })
  if (shards === 1)
    console.log('Everything is in one database again: npm run dev serves it, without --shards.')
}

/** Why the value of `--shards` is wrong; undefined when it is valid or not given. */
export function whyNoShards(asked: number | undefined): string | undefined {
  if (asked === undefined || (Number.isInteger(asked) && asked >= 1 && asked <= MAX_SHARDS)) return undefined
  return `--shards takes a number from 1 to ${MAX_SHARDS}.`
}

/**
 * Why a state folder whose data are in `noted` databases can't be served with `--shards asked` (undefined: without the
 * option), and what to do instead; undefined when it can.
 */
export function whyNotServed(noted: number, asked: number | undefined): string | undefined {
  if (asked === undefined ? noted === 1 : asked === 1 || asked >= noted) return undefined
  return `The data of this state are in ${noted} databases, so ${asked ?? 'one'} would show only a part of them. Start it with all of them:

  npm run dev -- --shards ${noted}

or have everything moved into the first one, after which npm run dev serves it again:

  npm run dev -- --shards 1`
}
