import { expect, inject } from 'vitest'
import { seeded } from '../../support/seeded.ts'
import type { BoundService } from '../model/bound-service.ts'
import { abortsUpload } from '../model/completing.ts'
import { deletesFile } from '../model/files.ts'
import { deletesAsset } from '../model/game-assets.ts'
import { setsQuota } from '../model/quota.ts'
import { Scene } from '../model/scene.ts'
import type { World } from '../model/state.ts'
import { passes, runsJob } from '../model/time.ts'
import { emptiesTrash } from '../model/trash.ts'
import type { Meeting } from './meetings.ts'
import { type Random, together } from './together.ts'

/** Which call goes next: one of the first act, as long as it has any; one of the last; or any. */
function turns(rounds: number): Random[] {
  const any = Array.from({ length: rounds }, (_, at): Random => {
    const next = seeded(inject('proof').seed + at)
    return (end) => Math.floor(next() * end)
  })
  return [() => 0, (end) => end - 1, ...any]
}

/** Lets acts meet in an empty world: once in each order, and in as many rounds of chance. Returns the world, empty again. */
export async function meets(
  { acts, comes }: Meeting,
  before: World,
  service: BoundService,
  rounds: number,
): Promise<World> {
  const came = new Set<string>()
  let world = before
  for (const [at, random] of turns(rounds).entries()) {
    const [ann = '', bob = ''] = [world.players[at % 3], world.players[(at + 1) % 3]]
    const drawn = await acts(new Scene(world, service), ann, bob)
    world.now_ms += 1
    const after = await together(world, [], drawn, random)
    world = after.world
    came.add(after.came.join(' '))
    if (at % 3 === 2) await clear(world, service)
  }
  await clear(world, service)
  for (const one of comes) expect([...came], 'what came of it').toContain(one)
  return world
}

/** Removes whatever there is. */
async function clear(world: World, service: BoundService): Promise<void> {
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
