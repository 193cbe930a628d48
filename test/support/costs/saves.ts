import { env, evictDurableObject } from 'cloudflare:test'
import { Player } from '../saves.ts'
import type { User } from '../user.ts'
import type { Measure } from './measure.ts'

/** The bytes of a save. */
const SIZE = 32 * 1_024

/**
 * Measures the requests about saves of a player who has two slots with all the revisions that a slot keeps. Each wakes the
 * object, because minutes pass between two saves.
 */
export async function measureSaves(measureAwake: Measure, user: User): Promise<void> {
  const measure: Measure = async (...request) => {
    await evictDurableObject(env.SAVES.getByName(user.id))
    return measureAwake(...request)
  }
  const player = new Player(user)
  const bytes = () => crypto.getRandomValues(new Uint8Array(SIZE))
  const last = { auto: 0, manual: 0 }
  for (const slot of ['auto', 'manual'] as const)
    for (let count = 0; count < 6; count++) last[slot] = (await player.save(slot, bytes())).revision
  await measure('write a save', () => player.write('auto', bytes(), { 'If-Match': `"${last.auto}"` }))
  await measure('read a save', () => user.get('/saves/auto'))
  await measure('list saves', () => user.get('/saves'))
  await measure('write a save in a new slot', () => player.write('new', bytes()), 201)
  const late = { 'If-Match': `"${last.auto}"` }
  await measure('keep a save in conflict', () => player.write('auto', bytes(), late, '?keep=true'), 412)
  await measure('list the revisions of a save', () => user.get('/saves/auto/revisions'))
  await measure('make an old save the newest', () => player.restore('manual', { revision: last.manual - 1 }))
  await measure('delete a save', () => player.delete('manual'), 204)
  await measure('restore a save', () => player.restore('manual'))
}
