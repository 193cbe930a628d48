import { expect, inject, vi } from 'vitest'
import { everywhere, startOver } from '../../support/databases.ts'
import { expectInPlace } from '../../support/invariants.ts'
import { seeded } from '../../support/seeded.ts'
import type { Act } from '../model/act.ts'
import { BoundService } from '../model/bound-service.ts'
import { abortsUpload } from '../model/completing.ts'
import { deletesFile } from '../model/files.ts'
import { deletesAsset } from '../model/game-assets.ts'
import { setsQuota } from '../model/quota.ts'
import { Scene } from '../model/scene.ts'
import type { World } from '../model/state.ts'
import { ends, newWorld } from '../model/story.ts'
import { passes, runsJob } from '../model/time.ts'
import { emptiesTrash } from '../model/trash.ts'
import { type Random, together } from './together.ts'

/**
 * Pairs each database with the bucket, at a time after all stories: on the platform no two runs of one database's job come
 * together, of which one would find that the other has just done it.
 */
export async function pair(): Promise<void> {
  vi.setSystemTime(newWorld().now_ms + 100 * DAYS)
  await new BoundService().runJob()
  // This walk would not be due in any story.
  await everywhere(`DELETE FROM progress WHERE task = 'marker_walk'`)
}

/** Forgets a story that has failed. */
export async function afresh(): Promise<void> {
  await startOver()
  await pair()
}

const DAYS = 4 * 86_400_000

/** Which call goes next: one of the two in turn; or any; or one of the first act, as long as it has any, or of the last. */
function turns(): { meeting: Random[]; following: Random[] } {
  const { seed, amount } = inject('proof')
  const inTurn = (isFirst: boolean): Random => {
    let first = isFirst
    return (end) => {
      first = !first
      return first ? end - 1 : 0
    }
  }
  const any = Array.from({ length: amount }, (_, at): Random => {
    const next = seeded(seed + at)
    return (end) => Math.floor(next() * end)
  })
  return { meeting: [inTurn(true), inTurn(false), ...any], following: [() => 0, (end) => end - 1] }
}

/** As many rounds, each with two players of its own, are done before all that there is gets removed. */
const ROUNDS = 8

/** A world with two players for each of these rounds. */
function populated(): World {
  const world = newWorld()
  const others = Array.from({ length: 2 * ROUNDS - world.players.length }, () => crypto.randomUUID())
  return { ...world, players: [...world.players, ...others] }
}

const service = new BoundService()
let world: World | undefined
/** How many rounds there have been in this world since it was cleared. */
let rounds = 0

/**
 * Lets acts meet that are done to one thing: their calls by turns, and in as many rounds of chance as are asked for; then one act
 * after the other, in both orders, in a short run only when something has not come of them yet.
 * `comes`: what has to come of them, in their order, in some round each. `acts` sets the scene, for two of the players.
 */
export async function meet(comes: string[], acts: Acts): Promise<void> {
  const came = new Set<string>()
  const isMissing = () => comes.some((one) => !came.has(one))
  const { meeting, following } = turns()
  try {
    for (const random of meeting) came.add(await round(acts, random))
    for (const random of following)
      if (inject('proof').amount > 0 || isMissing()) came.add(await round(acts, random))
  } catch (error) {
    world = undefined
    rounds = 0
    await afresh()
    throw error
  }
  for (const one of comes) expect([...came], 'what came of it').toContain(one)
}

type Acts = (scene: Scene, ann: string, bob: string) => Promise<Act[]>

/** Returns what came of the acts in their order. */
async function round(acts: Acts, random: Random): Promise<string> {
  world ??= populated()
  const [ann = '', bob = ''] = world.players.slice(2 * rounds)
  const drawn = await acts(new Scene(world, service), ann, bob)
  world.now_ms += 1
  const after = await together(world, [], drawn, random)
  world = after.world
  rounds++
  if (rounds === ROUNDS || inject('proof').amount > 0) await expectInPlace()
  if (rounds === ROUNDS) {
    await clear(world)
    rounds = 0
  }
  return after.came.join(' ')
}

/** Ends the story of all that met. */
export async function endsMeetings(): Promise<void> {
  if (world) await ends(world, service)
}

/** Removes whatever there is. */
async function clear(world: World): Promise<void> {
  const scene = new Scene(world, service)
  for (const { id, owner_id, state } of [...world.uploads.values()])
    if (state === 'open') await scene.does(abortsUpload(owner_id, id))
  for (const { id, owner_id, parent_id, trashed_at } of [...world.items.values()])
    if (parent_id === null && trashed_at === null) await scene.does(deletesFile(owner_id, id))
  for (const player of new Set([...world.items.values()].map(({ owner_id }) => owner_id)))
    await scene.does(emptiesTrash(player))
  for (const { id, owner_id } of [...world.assets.values()])
    await scene.does(deletesAsset(owner_id, id, true))
  for (const player of Object.keys(world.limit_bytes))
    await scene.does(setsQuota(world.operator, player, null))
  // What was aborted counts until its time is over.
  await scene.does(passes(world.limits.UPLOAD_TTL))
  await scene.does(runsJob())
}
