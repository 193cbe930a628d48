import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newId, partitionOf } from '../../src/platform/db/id.ts'
import type { Answer } from '../support/answer.ts'
import { type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { countOf, homeOf } from '../support/databases.ts'
import { idOf, newKey, unknownId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { type Fetch, serviceWith } from '../support/service.ts'

/** The keys of the objects that the service has put since the file began. */
const put: string[] = []
const BUCKET = overridden(env.BUCKET, {
  put: (key: string, ...more: [string]) => {
    put.push(key)
    return env.BUCKET.put(key, ...more)
  },
})

const through = (variables: Record<string, string> = {}) => serviceWith({ BUCKET, ...variables })

/** The rows and objects that branches write outside of their own partition: hints and markers; and all objects put so far. */
async function traces() {
  const { objects } = await env.BUCKET.list({ prefix: 'refs/' })
  return { hints: await countOf('branch_hints'), markers: objects.length, put: put.length }
}

/** Ada's public asset, and bob, whose home is another database. */
async function scene(service: Fetch = through()) {
  const ada = await signUpCreator('ada')
  const source = await ada.asset('source', { visibility: 'public' })
  return { ada, source: source.id, bob: await signUpCreator('bob', service) }
}

const named = (name: string, more: Record<string, unknown> = {}) => ({ name, ...more })

const frozen = `INSERT INTO partitions (partition, state) VALUES (?, 'frozen')
  ON CONFLICT (partition) DO UPDATE SET state = 'frozen'`
const freeze = ({ id }: Creator) => homeOf(id).prepare(frozen).bind(partitionOf(id)).run()

/** The refused branches. Each prepares its scene and returns the request, which may be repeated. */
const refusals: [title: string, code: string, status: number, of: () => Promise<() => Promise<Answer>>][] = [
  [
    'of an asset that nobody has',
    'ASSET_NOT_FOUND',
    404,
    async () => {
      const { ada, bob } = await scene()
      let turn = 0
      return () => bob.branch([newId(ada.id), unknownId, 'nothing'][turn++ % 3] ?? '', named('branch'))
    },
  ],
  [
    'of an asset that is not shown',
    'ASSET_NOT_FOUND',
    404,
    async () => {
      const { ada, source, bob } = await scene()
      await ada.editAsset(source, { visibility: 'private' })
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'of a deleted asset',
    'ASSET_NOT_FOUND',
    404,
    async () => {
      const { ada, source, bob } = await scene()
      await ada.deleteAsset(source)
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'of an asset without content',
    'NO_VERSIONS_TO_BRANCH',
    409,
    async () => {
      const { ada, bob } = await scene()
      const source = await ada.emptyAsset('empty', { visibility: 'public' })
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'of a version that there is not',
    'VERSION_NOT_FOUND',
    404,
    async () => {
      const { source, bob } = await scene()
      return () => bob.branch(source, named('branch', { from_version: 2 }))
    },
  ],
  [
    'under a name that is taken',
    'DUPLICATE_ASSET_NAME',
    409,
    async () => {
      const { source, bob } = await scene()
      await bob.emptyAsset('branch')
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'under a name that is none',
    'ASSET_NAME_REQUIRED',
    400,
    async () => {
      const { source, bob } = await scene()
      return () => bob.branch(source, named(''))
    },
  ],
  [
    'for which there is no room',
    'QUOTA_EXCEEDED',
    403,
    async () => {
      const { source, bob } = await scene()
      await giveQuota(bob, 6)
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'for which there is no room by default',
    'QUOTA_EXCEEDED',
    403,
    async () => {
      const { source, bob } = await scene(through({ DEFAULT_QUOTA_BYTES: '6' }))
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'with an asset more than a user may have',
    'LIMIT_REACHED',
    409,
    async () => {
      const { source, bob } = await scene(through({ MAX_ASSETS: '1' }))
      await bob.emptyAsset('one')
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'with a version more than a user may have',
    'LIMIT_REACHED',
    409,
    async () => {
      const { source, bob } = await scene(through({ MAX_VERSIONS: '1' }))
      await bob.asset('one')
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'with a variant more than a user may have of versions',
    'LIMIT_REACHED',
    409,
    async () => {
      const { ada, source, bob } = await scene(through({ MAX_VERSIONS: '2' }))
      await ada.variant(source, 1, 'ios')
      await bob.asset('one')
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'with a key that came with another request',
    'IDEMPOTENCY_KEY_REUSED',
    422,
    async () => {
      const { source, bob } = await scene()
      const key = newKey()
      expect((await bob.branch(source, named('one'), key)).status).toBe(201)
      return () => bob.branch(source, named(crypto.randomUUID()), key)
    },
  ],
  [
    'with a key whose branch is gone',
    'ASSET_NOT_FOUND',
    404,
    async () => {
      const { source, bob } = await scene()
      const key = newKey()
      const { asset } = JSON.parse((await bob.branch(source, named('one'), key)).text)
      await bob.deleteAsset(idOf({ body: asset }), '?permanent=true')
      return () => bob.branch(source, named('one'), key)
    },
  ],
  [
    'with a key more than a user may have',
    'LIMIT_REACHED',
    409,
    async () => {
      const { source, bob } = await scene(through({ MAX_IDEMPOTENCY_KEYS: '0' }))
      return () => bob.branch(source, named('branch'), newKey())
    },
  ],
  [
    'while the source’s partition is being moved',
    'UNAVAILABLE',
    503,
    async () => {
      const { ada, source, bob } = await scene()
      await freeze(ada)
      return () => bob.branch(source, named('branch'))
    },
  ],
  [
    'while the caller’s partition is being moved',
    'UNAVAILABLE',
    503,
    async () => {
      const { source, bob } = await scene()
      await freeze(bob)
      return () => bob.branch(source, named('branch'))
    },
  ],
]

describe('a refused branch', () => {
  it.each(refusals)(
    'puts no object into the bucket, and writes no hint: %s (%s)',
    async (_, code, status, of) => {
      const ask = await of()
      const before = await traces()
      for (let times = 0; times < 3; times++) expect(await ask()).toBeProblem(status, code)
      expect(await traces()).toEqual(before)
    },
  )
})

describe('a branch', () => {
  it('puts its marker, and a repetition with its key puts none', async () => {
    const { source, bob } = await scene()
    const [before, key] = [await traces(), newKey()]
    for (let times = 0; times < 3; times++)
      expect((await bob.branch(source, named('branch'), key)).status).toBe(201)
    const { hints, markers, put } = before
    expect(await traces()).toEqual({ hints: hints + 1, markers: markers + 1, put: put + 1 })
  })

  it('takes the room of its own key that has expired, where a user has no more', async () => {
    const { source, bob } = await scene(through({ MAX_IDEMPOTENCY_KEYS: '1' }))
    const key = newKey()
    expect((await bob.branch(source, named('one'), key)).status).toBe(201)
    const expire = homeOf(bob.id).prepare('UPDATE idempotency SET created_at = 1 WHERE caller_id = ?')
    await expire.bind(bob.id).run()
    expect((await bob.branch(source, named('two'), key)).status).toBe(201)
  })
})
