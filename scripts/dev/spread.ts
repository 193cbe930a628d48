/** `npm run dev -- --shards N`: over how many databases the data of a state are spread. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The most databases that `--shards` takes: each is migrated by itself, which takes two seconds. */
export const MAX_SHARDS = 16

/** The name of each binding when N databases are bound. */
export function bindingsOf(shards: number): string[] {
  return Array.from({ length: shards }, (_, i) => (i === 0 ? 'DB' : `DB_${i}`))
}

/** Over how many databases the data of a state are spread, as far as a server has noted, and whether that is done. */
interface Spread {
  shards: number
  isDone: boolean
}

const noteOf = (state: string) => join(state, 'shards.json')

/** What a server with `--shards` has noted beside the databases of this state. */
export function spreadOf(state: string): Spread {
  if (!existsSync(noteOf(state))) return { shards: 1, isDone: true }
  const { shards, isDone }: Spread = JSON.parse(readFileSync(noteOf(state), 'utf8'))
  return { shards, isDone }
}

/** Notes how the data of a state are spread. */
export function noteSpread(state: string, spread: Spread): void {
  mkdirSync(state, { recursive: true })
  if (spread.shards === 1 && spread.isDone) rmSync(noteOf(state), { force: true })
  else writeFileSync(noteOf(state), JSON.stringify(spread))
}

/**
 * Why a state whose data are in `noted` databases can't be served with `--shards asked` (undefined: without it), and what
 * to do instead; undefined when it can.
 */
export function whyNotServed(noted: number, asked: number | undefined): string | undefined {
  if (asked === undefined ? noted === 1 : asked === 1 || asked >= noted) return undefined
  return `The data of this state may be in ${noted} databases, so ${asked ?? 'one'} would show only a part of them. Start it with all of them:

  npm run dev -- --shards ${noted}

or have everything moved into the first one, after which npm run dev serves it again:

  npm run dev -- --shards 1`
}
