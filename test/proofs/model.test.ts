import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { everyDatabase, startOver } from '../support/databases.ts'
import { allEndpoints, codesOf } from '../support/description.ts'
import { noteDrawn, seeded } from '../support/seeded.ts'
import { type Command, DRAWN, Draw } from './model/act.ts'
import { BoundService } from './model/bound-service.ts'
import { commands, mixture } from './model/commands.ts'
import { addsFavorite } from './model/favorites.ts'
import { askingForEach } from './model/looking.ts'
import { blocks, erases } from './model/operators.ts'
import { getShards } from './model/running.ts'
import { furnish } from './model/scene.ts'
import type { World } from './model/state.ts'
import { act, ends, newWorld, step } from './model/story.ts'
import { passes, runJob } from './model/time.ts'
import { newEvent } from './model/undelivered.ts'
import { startsUpload } from './model/uploads.ts'

const { seed, amount, replay } = inject('proof')
const OVER = everyDatabase.length > 1 ? ` --databases ${everyDatabase.length}` : ''
/** The steps of a short run, which is over three databases: one story, because an end costs as much as sixty steps. */
const STEPS = 250
/** What a failed run has printed: how long its sequences could be, and the way to the failing one. */
const [longest, path, replayPath] = replay ? replay.split('|') : []
/** Over several databases the end of a story takes long: the job runs again and again in each of them. */
const LONG = everyDatabase.length > 1 ? 600 : 200
const maxCommands = longest ? Number(longest) : LONG

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
})

interface Told {
  world: World
  service: BoundService
}

/** How often each operation came to what. */
const done: Record<string, Record<string, number>> = {}
let steps = 0

function note({ operation }: Command, came: string): void {
  done[operation] = { ...done[operation], [came]: (done[operation]?.[came] ?? 0) + 1 }
}

/** One command of a sequence, as fast-check runs, shrinks and prints it. */
class Step implements fc.AsyncCommand<Told, object> {
  readonly #command: Command
  readonly #numbers: number[]

  constructor(command: Command, numbers: number[]) {
    this.#command = command
    this.#numbers = numbers
  }

  check(): boolean {
    return true
  }

  async run({ world, service }: Told): Promise<void> {
    const came = await step(world, service, this.#command, this.#numbers)
    if (came === undefined) return
    steps++
    note(this.#command, came)
  }

  toString(): string {
    return `${this.#command.operation}(${this.#numbers})`
  }
}

/** Without fast-check's liking for the smallest and the largest, which choose the same again and again. */
const numbers = fc.noBias(fc.array(fc.nat(9_999), { minLength: DRAWN, maxLength: DRAWN }))
const sequences = fc.commands(
  mixture.map((command) => numbers.map((drawn) => new Step(command, drawn))),
  { maxCommands, size: 'max', replayPath },
)

/** The place of the first player's database. With one database nothing is drawn for it. */
const place = everyDatabase.length > 1 ? fc.noBias(fc.nat(everyDatabase.length - 1)) : fc.constant(0)

const property = fc.asyncProperty(fc.boolean(), sequences, place, async (isFurnished, sequence, first) => {
  const service = new BoundService()
  const world = newWorld(first)
  try {
    if (isFurnished) await furnish(world, service)
    await fc.asyncModelRun(() => ({ model: { world, service }, real: {} }), sequence)
    noteDrawn(seed, `${isFurnished} ${first} ${sequence}`)
    await ends(world, service)
  } catch (error) {
    await startOver() // a story that went wrong leaves nothing to the next
    throw error
  }
})

async function tells(numRuns: number, from: number): Promise<void> {
  const details = await fc.check(property, { numRuns, seed: from, path, endOnFailure: true })
  if (!details.failed) return
  const at = /replayPath="([^"]+)"/.exec(String(details.counterexample?.[1]))?.[1] ?? ''
  const line = `npm run prove -- model --${OVER} --seed ${from} --replay "${maxCommands}|${details.counterexamplePath}|${at}"`
  throw new Error(
    `${details.counterexample?.[0] ? 'furnished, ' : ''}${String(details.counterexample?.[1])}\nagain: ${line}`,
    { cause: details.errorInstance },
  )
}

it('has a command for every endpoint, except those of saves and of their recalls, which have a model of their own', async () => {
  const described = (await allEndpoints())
    .filter(({ path }) => !/^\/v1\/(saves|recalls)/.test(path))
    .map(({ operation }) => operation.operationId)
  expect(described.filter((id) => !commands.some(({ operation }) => operation === id))).toEqual([])
})

it('knows that a key lives longer that came right after an erasure', async () => {
  const [world, service] = [newWorld(), new BoundService()]
  const player = world.players[0] ?? ''
  const content = { upload_type: 'file', size_bytes: 1, mime_type: 'text/plain' } as const
  const starts = startsUpload(player, { ...content, name: 'a', asset_type: 'file' }, 'key')
  try {
    await act(world, service, erases(world.operator, player))
    await act(world, service, starts)
    const made: number[] = []
    for (const seconds of [86_400, 60, 1]) {
      await act(world, service, passes(seconds))
      await act(world, service, starts)
      made.push(world.uploads.size)
    }
    expect(made).toEqual([1, 1, 2])
  } finally {
    await startOver()
  }
})

it('knows that a favourite is a row of its user', async () => {
  const [world, service] = [newWorld(), new BoundService()]
  try {
    await furnish(world, service)
    const asset = [...world.assets.values()].find(({ deleted_at }) => deleted_at === null)
    const asks = getShards.draw(world, new Draw([]))
    if (!asset || !asks) throw new Error('the scene has no asset')
    expect(await act(world, service, addsFavorite(asset.owner_id, asset.id))).toBe('204')
    expect(await act(world, service, asks)).toBe('200')
  } finally {
    await startOver()
  }
})

it('knows what each player sees and likes of what is private, public, shared, deleted and blocked', async () => {
  const [world, service] = [newWorld(), new BoundService()]
  const everybodyAsks = async () => {
    for (const player of world.players)
      for (const asks of askingForEach(world, player)) await act(world, service, asks)
  }
  try {
    await furnish(world, service)
    await everybodyAsks()
    const folder = [...world.items.values()].find(({ is_public }) => is_public)
    const asset = [...world.assets.values()].find(({ visibility }) => visibility === 'public')
    if (!folder || !asset) throw new Error('the scene has nothing that is public')
    await act(world, service, blocks(world.operator, 'files', folder.id, true))
    await act(world, service, blocks(world.operator, 'game/assets', asset.id, true))
    await everybodyAsks()
  } finally {
    await startOver()
  }
})

const undone = () => commands.filter(({ operation }) => !done[operation])

/** One long story, in which limits are reached and much is gone; then each command that has not been done. */
async function tellsOne(): Promise<void> {
  const [world, service, random] = [newWorld(), new BoundService(), seeded(seed)]
  const draws = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10_000))
  const does = async (command: Command) => {
    const drawn = draws(DRAWN)
    const came = await step(world, service, command, drawn)
    if (came === undefined) return
    steps++
    note(command, came)
    noteDrawn(seed, `${command.operation}(${drawn})`)
  }
  try {
    await furnish(world, service)
    while (steps < STEPS) {
      const [at = 0] = draws(1)
      await does(mixture[at % mixture.length] ?? runJob)
    }
    // Some commands need an event that waits.
    for (let tries = 0; tries < 30 && undone().length > 0; tries++)
      for (const command of [newEvent, ...undone()]) await does(command)
    await ends(world, service)
    expect(service.reading.size, 'hours in which somebody read on behalf of a player').toBeGreaterThan(0)
    const statuses = [...service.acted.values()].flatMap(({ is_on_behalf, status }) =>
      is_on_behalf ? status : [],
    )
    expect(statuses.some((status) => status < 300) && statuses.some((status) => status >= 400)).toBe(true)
  } catch (error) {
    await startOver()
    throw new Error(`in step ${steps + 1} of the story`, { cause: error })
  }
}

/** Codes of requests that the model does not make: malformed ones, with no token, to a service that is ill. */
const elsewhere = new Set([
  ...[
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'INTERNAL',
    'UNAVAILABLE',
    'RATE_LIMITED',
    'UPGRADE_REQUIRED',
    'INVALID_CURSOR',
  ],
  ...['VALIDATION_FAILED', 'MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UPLOAD_TOO_LARGE'],
  ...['FILE_INVALID_NAME', 'ASSET_NAME_REQUIRED', 'ASSET_NAME_TOO_LONG'],
  ...['INVALID_ASSET_TYPE', 'INVALID_VISIBILITY', 'RATING_LOCKED'],
])

/** The answers of the description that no step was given, by operation. */
async function unmet(): Promise<string[]> {
  return (await allEndpoints()).flatMap(({ operation: { operationId, responses } }) =>
    Object.values(responses)
      .flatMap(codesOf)
      .filter((code) => !elsewhere.has(code) && !done[operationId]?.[code])
      .map((code) => `${operationId} ${code}`),
  )
}

it('answers as a plain model of it does, whatever is done in whatever order, and its rows and objects agree', async () => {
  if (replay) await tells(1, seed)
  else if (amount === 0) await tellsOne()
  for (let from = seed; !replay && steps < amount; from++) {
    await tells(10, from)
    console.log(`${steps} steps, seeds ${seed} to ${from}`)
  }
  const told = Object.entries(done).map(([operation, outcomes]) => `${operation} ${JSON.stringify(outcomes)}`)
  console.log(`${steps} steps, seed ${seed}\n${told.sort().join('\n')}`)
  if (!replay) console.log(`described, and never met here: ${(await unmet()).join(', ') || 'nothing'}`)
  if (!replay) expect(undone()).toEqual([])
}, 14_400_000)
