import { env, evictDurableObject } from 'cloudflare:test'
import { toNextSecond } from '../next-second.ts'
import { Player } from '../saves.ts'
import type { Fetch } from '../service.ts'
import { operator, type User } from '../user.ts'
import type { Measure } from './measure.ts'

/** The bytes of a save. */
const SIZE = 32 * 1_024

/**
 * Measures the requests about saves of a player who has two slots with all the revisions that a slot keeps. Each wakes the
 * object, because minutes pass between two saves.
 */
export async function measureSaves(measureAwake: Measure, user: User, service: Fetch): Promise<void> {
  const measure: Measure = async (...request) => {
    await evictDurableObject(env.SAVES.getByName(user.id))
    return measureAwake(...request)
  }
  const player = new Player(user)
  // The first request of an isolate reads the list of recalls after its answer.
  for (let look = 0; look < 2; look++) await player.list()
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
  await measureRecall(measure, measureAwake, user, await operator('saves:recall', service))
}

/** Measures a recall of what somebody wrote long ago, and the player's next requests: one that it concerns, and one after it. */
async function measureRecall(
  measure: Measure,
  measureAwake: Measure,
  user: User,
  studio: User,
): Promise<void> {
  const player = new Player(user)
  const recallIt = (times: object) =>
    studio.request('POST', '/recalls', {
      json: { newer: 'revert', reason: 'a patch', slots: ['recalled'], ...times },
    })
  await player.save('recalled', 'good')
  toNextSecond()
  const from = now()
  await player.save('recalled', 'broken')
  toNextSecond()
  let id = ''
  const send = async () => {
    const answer = await recallIt({ from, until: now() })
    id = String(Object(answer.body).id)
    return answer
  }
  await measureAwake('recall saves', send, 201)
  await measure('list saves that a recall takes back', () => user.get('/saves'))
  await measure('list saves while a recall is in force', () => user.get('/saves'))
  await measureAwake('end a recall', () => studio.request('DELETE', `/recalls/${id}`), 204)
}

const now = () => Math.floor(Date.now() / 1_000)
