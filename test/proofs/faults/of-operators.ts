import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import { rebuildPart } from '../../../src/operators/catalogue/rebuild.ts'
import { newId } from '../../../src/platform/db/id.ts'
import { FIRST } from '../../../src/platform/shards/map.ts'
import { databaseNames, everywhere, homeOf, inDatabase, placeOf } from '../../support/databases.ts'
import { parkEvent, writeEvent } from '../../support/events.ts'
import type { Scene } from './scene.ts'
import { contentOf, stock, stockAsset } from './stock.ts'
import type { Scenario } from './trial.ts'

/** What the operators' commands ask for. Bob is the operator. */

const reads = (name: string, path: string): Scenario => ({
  name,
  prepare: async ({ bob }) => ({ by: bob, method: 'GET', path }),
})

/** An event about ada that was parked. */
async function parked(scene: Scene): Promise<{ id: string }> {
  const event = scene.named('event', await writeEvent(scene.ada.user_id))
  await parkEvent(event)
  return event
}

const changesOne = (verb: 'resend' | 'discard', repeated?: { events: number }): Scenario => ({
  name: 'one',
  ...(repeated && { repeated }),
  prepare: async (scene) => {
    const { id } = await parked(scene)
    return { by: scene.bob, method: 'POST', path: `/events/${verb}`, json: { id } }
  },
})

/** `rest` does the same to what other trials have left. */
const changesAll = (verb: 'resend' | 'discard', rest: string): Scenario => ({
  name: 'all',
  alone: true,
  repeated: { events: 0 },
  prepare: async (scene) => {
    await everywhere(rest)
    await parked(scene)
    return { by: scene.bob, method: 'POST', path: `/events/${verb}`, json: { all: true } }
  },
})

/** Of a file of ada's: what it has come to. */
const stateOf = ({ ada }: Scene) =>
  homeOf(ada.user_id)
    .prepare('SELECT id, processing_state FROM files WHERE owner_id = ?')
    .bind(ada.user_id)
    .first<{ id: string; processing_state: string }>()

/** A file of ada's whose content is gone, on the first page of what is newer. */
const contentMissing: Scenario = {
  name: 'a file without its content, repaired',
  alone: true,
  repeated: { looked_at: 1, next: null },
  usable: async (scene) => expect(await stateOf(scene)).toMatchObject({ processing_state: 'failed' }),
  tidy: async (scene) => {
    const file = await stateOf(scene)
    // A repair marks the file, which keeps its key; a later look at everything compares the two.
    if (file) await env.BUCKET.put(contentOf(file.id), 'xxx', { httpMetadata: { contentType: 'text/plain' } })
  },
  prepare: async (scene) => {
    const { ada, bob } = scene
    const { id } = scene.named('file', { id: newId(ada.user_id) })
    await stock(ada, { id, name: 'lost', type: 'file' })
    await env.BUCKET.delete(contentOf(id))
    const page = { database: databaseNames[placeOf(ada.user_id)], stage: 'files', after: id.slice(0, -1) }
    return { by: bob, method: 'POST', path: '/reconcile', json: { ...page, repair: true } }
  },
}

/**
 * The operations of the operators' description. Moves under faults are proved by test/shards/moves.test.ts, which kills
 * the mover at each of its calls: here nothing moves, since other scenes take place in the same partitions.
 */
export const ofOperators: Record<string, Scenario[]> = {
  getShards: [reads('all', '/shards')],
  movePartitions: [
    {
      name: 'to where they are',
      prepare: async ({ bob }) => {
        const json = { first: '000', last: '000', database: FIRST }
        return { by: bob, method: 'POST', path: '/shards/move', json }
      },
    },
  ],
  undoMove: [
    { name: 'of none', prepare: async ({ bob }) => ({ by: bob, method: 'POST', path: '/shards/undo' }) },
  ],
  getJob: [reads('all', '/job')],
  getReconcileExtent: [reads('all', '/reconcile')],
  reconcilePage: [
    contentMissing,
    {
      name: 'whether database and bucket belong together',
      prepare: async ({ bob }) => {
        const json = { database: FIRST, stage: 'pairing' }
        return { by: bob, method: 'POST', path: '/reconcile', json }
      },
    },
  ],
  getCatalogue: [reads('all', '/catalogue')],
  writeCatalogue: [
    {
      name: 'one mark',
      alone: true,
      repeated: { applied: 0 },
      prepare: async ({ ada, bob }) => {
        const json = { of: 'marks' as const, database: databaseNames[placeOf(ada.user_id)] ?? '' }
        await rebuildPart(bob, json)
        await stockAsset(ada, 'castle', 'public')
        return { by: bob, method: 'POST', path: '/catalogue/rebuild', json }
      },
    },
  ],
  listUndeliveredEvents: [
    {
      name: 'one that waits and one that is parked',
      prepare: async (scene) => {
        await everywhere('DELETE FROM outbox')
        const users = ['first', 'second'].map((name) =>
          scene.named(name, { id: inDatabase(FIRST, () => crypto.randomUUID()) }),
        )
        for (const { id } of users) scene.named('event', await writeEvent(id))
        const [waiting] = users
        if (waiting) await parkEvent(await writeEvent(waiting.id))
        return { by: scene.bob, method: 'GET', path: '/events?limit=5' }
      },
    },
  ],
  resendEvents: [
    changesOne('resend'),
    changesAll('resend', 'UPDATE outbox SET attempts = 0, parked_at = NULL WHERE parked_at IS NOT NULL'),
  ],
  discardEvents: [
    changesOne('discard', { events: 0 }),
    changesAll('discard', 'DELETE FROM outbox WHERE parked_at IS NOT NULL'),
  ],
}
