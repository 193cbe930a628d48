import { expect, inject, vi } from 'vitest'
import { everywhere, startOver } from '../../support/databases.ts'
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

/** Which call goes next: one of the first act, as long as it has any; one of the last; one of the two in turn; or any. */
function turns(): Random[] {
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
  return [() => 0, (end) => end - 1, inTurn(true), inTurn(false), ...any]
}

/** A world with a player for each of four rounds. */
function ofFour(): World {
  const world = newWorld()
  return { ...world, players: [...world.players, `fourth-${crypto.randomUUID()}`] }
}

const service = new BoundService()
let world: World | undefined

/**
 * Lets acts meet that are done to one thing: their calls one act after the other, in both orders, and by turns; then in as many
 * rounds of chance as are asked for.
 * `comes`: what has to come of them, in their order, in some round each. `acts` sets the scene, for two of the players.
 */
export async function meet(
  comes: string[],
  acts: (scene: Scene, ann: string, bob: string) => Promise<Act[]>,
): Promise<void> {
  const came = new Set<string>()
  try {
    world ??= ofFour()
    const all = turns()
    for (const [at, random] of all.entries()) {
      const [ann = '', bob = ''] = [world.players[at % 4], world.players[(at + 1) % 4]]
      const drawn = await acts(new Scene(world, service), ann, bob)
      world.now_ms += 1
      const after = await together(world, [], drawn, random)
      world = after.world
      came.add(after.came.join(' '))
      if (at % 4 === 3 || at === all.length - 1) await clear(world)
    }
  } catch (error) {
    world = undefined
    await afresh()
    throw error
  }
  for (const one of comes) expect([...came], 'what came of it').toContain(one)
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
