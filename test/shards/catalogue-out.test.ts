import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import worker from '../../src/index.ts'
import { catalogueFaults, expectCatalogue, expectCatalogueDone, shownIds } from '../support/catalogue.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { allEverywhere, catalogueDatabase, countOf } from '../support/databases.ts'
import { silentQueue } from '../support/events.ts'
import { runJobIn } from '../support/objects.ts'
import { withSessions } from '../support/outgoing.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

/** How many more statements the database of the catalogue answers. */
let answers = Number.POSITIVE_INFINITY

const lost = () => Promise.reject(new Error('D1_ERROR: Network connection lost.'))
const CATALOG = withSessions(catalogueDatabase, (session) => ({
  prepare: (query: string) => (answers-- > 0 ? session.prepare(query) : { bind: () => ({ all: lost }) }),
}))

let queue = silentQueue()
let ada: Creator

beforeEach(async () => {
  answers = Number.POSITIVE_INFINITY
  queue = silentQueue()
  ada = await signUpCreator('ada', serviceWith({ CATALOG, EVENTS: queue.queue }))
})

const ASSETS = 'SELECT * FROM game_assets ORDER BY id'
const ERASURES = 'SELECT * FROM erasures'

/** Everything that a refused request might have changed. */
const present = () => allEverywhere([ASSETS, ERASURES])

/** What the Worker's queue handler makes of what was sent. */
async function receive() {
  const messages = queue.sent.map((body, index) => ({
    id: String(index),
    timestamp: new Date(),
    attempts: 1,
    body,
  }))
  const batch = createMessageBatch('edge-game-storage-events', messages)
  await worker.queue(batch, { ...env, CATALOG }, createExecutionContext())
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext())
  return { acks: explicitAcks.length, retries: retryMessages.length }
}

const through = async (scope: string) =>
  (await operator(scope)).through(serviceWith({ CATALOG, EVENTS: queue.queue }))

describe('while the database of the catalogue is out', () => {
  it.each([
    ['unpublish', async (id: string) => ada.editAsset(id, { visibility: 'private' })],
    ['unlist', async (id: string) => ada.editAsset(id, { listed: false })],
    ['delete', async (id: string) => ada.deleteAsset(id)],
    ['delete for good', async (id: string) => ada.deleteAsset(id, '?permanent=true')],
    [
      'block',
      async (id: string) => (await through('content:moderate')).request('PUT', `/game/assets/${id}/block`),
    ],
    ['erase', async () => (await through('users:erase')).request('DELETE', `/users/${ada.id}`)],
  ])('a request to %s is refused, and has changed nothing', async (_, remove) => {
    const { id } = await ada.emptyAsset('castle', { visibility: 'public' })
    const before = await present()
    answers = 0
    expect(await remove(id)).toBeProblem(503, 'UNAVAILABLE')
    answers = Number.POSITIVE_INFINITY
    expect(await present()).toEqual(before)
    expect(await shownIds([id])).toEqual([id])
    await receive()
    await runJobIn(0)
    expect(await present()).toEqual(before)
    expect(await shownIds([id])).toEqual([id])
    await expectCatalogueDone()
  })

  it('a removal that has changed its asset is refused when what is in the catalogue by then is not removed', async () => {
    const { id } = await ada.emptyAsset('castle', { visibility: 'public' })
    answers = 1 // removes the entry before the change
    expect(await ada.editAsset(id, { visibility: 'private' })).toBeProblem(503, 'UNAVAILABLE')
    answers = Number.POSITIVE_INFINITY
    expect(await receive()).toEqual({ acks: 1, retries: 0 })
    expect(await shownIds([id])).toEqual([])
    await expectCatalogueDone()
  })

  it('a publication, an edit and a restoration succeed, and are in the catalogue after the message in the queue', async () => {
    const [published, edited, restored] = [
      await ada.emptyAsset('published'),
      await ada.emptyAsset('edited', { visibility: 'public' }),
      await ada.emptyAsset('restored', { visibility: 'public' }),
    ]
    await ada.deleteAsset(restored)
    answers = 0
    expect((await ada.editAsset(published, { visibility: 'public' })).status).toBe(200)
    expect((await ada.editAsset(edited, { name: 'edited again' })).status).toBe(200)
    expect((await ada.restoreAsset(restored)).status).toBe(200)
    expect((await ada.createAsset({ name: 'new', type: 'world', visibility: 'public' })).status).toBe(201)
    expect(await receive()).toEqual({ acks: 0, retries: 4 })
    answers = Number.POSITIVE_INFINITY
    expect(await shownIds([published.id, restored.id])).toEqual([])
    expect(await receive()).toEqual({ acks: 4, retries: 0 })
    await expectCatalogueDone()
    expect(await shownIds([published.id, edited.id, restored.id])).toHaveLength(3)
  })

  it('what was not written is in the catalogue after the job, without any message', async () => {
    const asset = await ada.emptyAsset('published')
    answers = 0
    await ada.editAsset(asset, { visibility: 'public' })
    answers = Number.POSITIVE_INFINITY
    expect(await countOf('catalogue_marks')).toBe(1)
    await runJobIn(0)
    expect(await shownIds([asset.id])).toEqual([asset.id])
    await expectCatalogueDone()
  })

  it('a removal that is refused after the entry has gone leaves a mark that brings the entry back', async () => {
    const one = await ada.emptyAsset('one', { visibility: 'public' })
    const other = await ada.emptyAsset('other', { visibility: 'public' })
    const refused = await ada.editAsset(one, { name: other.name, visibility: 'private' })
    expect(refused).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect(await shownIds([one.id])).toEqual([])
    await expectCatalogue()
    expect(await receive()).toEqual({ acks: 1, retries: 0 })
    expect(await shownIds([one.id])).toEqual([one.id])
    expect(await catalogueFaults()).toEqual([])
  })
})
