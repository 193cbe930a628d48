import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { everyDatabase } from '../support/databases.ts'
import { expectInPlace } from '../support/invariants.ts'
import { seeded } from '../support/seeded.ts'
import type { Command } from './model/act.ts'
import { BoundService } from './model/bound-service.ts'
import { commands } from './model/commands.ts'
import { used } from './model/counting.ts'
import { changesFile, editFile, readsFile } from './model/files.ts'
import { setsQuota } from './model/quota.ts'
import { furnish } from './model/scene.ts'
import type { World } from './model/state.ts'
import { act, ends, newWorld } from './model/story.ts'
import { afresh, pair } from './pairs/meet.ts'
import { Table } from './pairs/table.ts'
import { drawTogether, meet, type Random, together } from './pairs/together.ts'

const { seed, amount, replay } = inject('proof')
const isShort = amount === 0
/** How often each pair is done. */
const ROUNDS = Math.max(1, amount)
const TRIPLES = isShort ? 4 : 40 * ROUNDS
const OVER = everyDatabase.length > 1 ? ` --databases ${everyDatabase.length}` : ''
/** As many as are done in one world. The end of a world costs as much as twenty pairs, so a short run has fewer worlds. */
const IN_ONE_WORLD = isShort ? 120 : 24
/** After so many of them all rows of all databases are looked at. */
const IN_PLACE_EVERY = isShort && !replay ? 8 : 1
const TIMEOUT = 14_400_000

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await pair()
})
afterAll(() => {
  vi.useRealTimers()
})

const writing = commands.filter(({ writes, alone, operation }) => writes && !alone && operation !== 'time')
const pairs = writing.flatMap((one, at) => writing.slice(at).map((other) => [one, other]))
const table = new Table(writing.map(({ operation }) => operation))

/** One pair in twenty-four: each command with one other or two. */
function someOf(groups: Command[][]): Command[][] {
  const place = (command: Command) => writing.indexOf(command)
  return groups.filter((group) => group.reduce((sum, command) => sum + place(command), seed) % 24 === 0)
}

/** Commands by threes. */
function triples(): Command[][] {
  const random = randomOf(seed + 1_000_000)
  const one = () => writing[random(writing.length)]
  return Array.from({ length: TRIPLES }, () => [one(), one(), one()].flatMap((command) => command ?? []))
}

function randomOf(from: number): Random {
  const next = seeded(from)
  return (end) => Math.floor(next() * end)
}

const DAYS = 4 * 86_400_000

/**
 * Does groups of commands, each group at the same time, in a world that is furnished for them. Tells which had nothing
 * to do there.
 */
async function inOneWorld(groups: Command[][], random: Random): Promise<Command[][]> {
  const idle: Command[][] = []
  const service = new BoundService()
  let world: World = newWorld(everyDatabase.length > 1 ? random(everyDatabase.length) : 0)
  await furnish(world, service)
  if (random(3) === 0) await tighten(world, service)
  for (const [at, group] of groups.entries()) {
    world.now_ms += 1 + random(2_000)
    // So that the job has something to do.
    if (group.some(({ operation }) => operation === 'the job') && random(2) === 1) world.now_ms += DAYS
    const acts = drawTogether(world, group, random)
    if (!acts) {
      idle.push(group)
      continue
    }
    const after = await together(world, group, acts, random)
    world = after.world
    table.add(group, meet(acts), after.came)
    if (at % IN_PLACE_EVERY === 0) await expectInPlace()
  }
  await expectInPlace()
  await ends(world, service)
  return idle
}

/** Leaves each player little room, so that not all that is begun at once has some. */
async function tighten(world: World, service: BoundService): Promise<void> {
  for (const player of world.players) {
    const { bytes } = used(world, player)
    await act(world, service, setsQuota(world.operator, player, bytes + 15))
  }
}

/** The groups in a seeded order, some of them in each world; those that were idle in another world. */
async function all(groups: Command[][], from: number, tries = 20): Promise<void> {
  const random = randomOf(from)
  const idle: Command[][] = []
  const shuffled = groups
    .map((group) => ({ group, key: random(1e9) }))
    .sort((one, other) => one.key - other.key)
  for (let at = 0; at < shuffled.length; at += IN_ONE_WORLD) {
    const worldSeed = random(1e9)
    const some = shuffled.slice(at, at + IN_ONE_WORLD).map(({ group }) => group)
    idle.push(...(await oneWorld(some, worldSeed)))
  }
  expect(idle.length === 0 || tries > 1, 'each group has had something to do in some world').toBe(true)
  if (idle.length > 0) await all(idle, from + 1_000, tries - 1)
}

async function oneWorld(groups: Command[][], worldSeed: number): Promise<Command[][]> {
  try {
    return await inOneWorld(groups, randomOf(worldSeed))
  } catch (error) {
    await afresh()
    const named = groups.map((group) => group.map(({ operation }) => operation).join('+')).join(',')
    const line = `npm run prove -- pairs --${OVER} --replay "${worldSeed}|${named}"`
    throw new Error(`again: ${line}`, { cause: error })
  }
}

const [worldSeed, named] = replay.split('|')
const groupsOf = (text: string) =>
  text
    .split(',')
    .map((group) => group.split('+').flatMap((name) => commands.filter((c) => c.operation === name)))

/** Changes a file twice at once, in the same way, so that the two answers differ in nothing but their ETags. */
async function changeTwice(world: World, service: BoundService, random: Random): Promise<World> {
  const file = [...world.items.values()].find((item) => item.trashed_at === null && !item.blocked)
  if (!file) throw new Error('the scene has no file that can be changed')
  const change = () => changesFile(file.owner_id, file.id, { name: 'twice' })
  const after = await together(world, [editFile, editFile], [change(), change()], random)
  expect(after.came).toEqual(['200', '200'])
  await act(after.world, service, readsFile(file.owner_id, file.id))
  return after.world
}

it('knows the ETag of a file after two equal changes at once, whichever of them came last', async () => {
  const service = new BoundService()
  let world = newWorld()
  await furnish(world, service)
  try {
    for (let from = 1; from <= 5; from++) world = await changeTwice(world, service, randomOf(from))
  } finally {
    await afresh()
  }
})

if (replay) it('does again what failed', () => oneWorld(groupsOf(named ?? ''), Number(worldSeed)), TIMEOUT)
else {
  it(
    'comes to what some order comes to when any two things that write are done at once',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await all(isShort ? [...someOf(pairs), ...triples()] : pairs, seed + round)
        console.log(
          `round ${round + 1} of ${ROUNDS}, seed ${seed + round}: ${pairs.length} pairs of ${writing.length} commands`,
        )
      }
      console.log(table.toString())
      expect(isShort ? table.alone() : table.missing()).toEqual([])
    },
    TIMEOUT,
  )

  // In a short run they are among the pairs, in the same worlds.
  if (!isShort)
    it(
      'and when three are',
      async () => {
        await all(triples(), seed + 2_000_000)
        console.log(`${TRIPLES} triples, seed ${seed}`)
      },
      TIMEOUT,
    )
}
