import { describe, expect, it } from 'vitest'
import { newId, partitionOf } from '../../src/platform/db/id.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import type { Answer } from '../support/answer.ts'
import { Creator, signUpCreator } from '../support/creator.ts'
import { countOf, databaseNames, everywhere, homeOf, placeOf } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { idOf, newKey, newUserId, newUserIdIn, unknownId } from '../support/ids.ts'
import { type Fetch, serviceWith } from '../support/service.ts'

const hints = () => countOf('share_hints')

/** Each grantee is new, so that any hint for them is an additional row. */
const to = (grantee_id = newUserId(), more: Record<string, unknown> = {}) => ({
  grantee_id,
  permission: 'view',
  ...more,
})

async function scene(service?: Fetch) {
  const ada = await signUpCreator('ada', service)
  return { ada, file: (await ada.file('file', 'content')).id }
}

/** The refused shares. Each prepares its scene and returns the request, which may be repeated. */
const refusals: [title: string, code: string, status: number, of: () => Promise<() => Promise<Answer>>][] = [
  [
    'a file that nobody has',
    'FILE_NOT_FOUND',
    404,
    async () => {
      const { ada } = await scene()
      return () => ada.createShare(newId(ada.id), to())
    },
  ],
  [
    'an id of another partition, or none',
    'FILE_NOT_FOUND',
    404,
    async () => {
      const { ada } = await scene()
      let turn = 0
      return () => ada.createShare([unknownId, 'nothing'][turn++ % 2] ?? '', to())
    },
  ],
  [
    'somebody else’s file',
    'FILE_NOT_FOUND',
    404,
    async () => {
      const [{ ada }, { file }] = [await scene(), await scene()]
      return () => ada.createShare(file, to())
    },
  ],
  [
    'somebody else’s file that is shared with that user already',
    'FILE_NOT_FOUND',
    404,
    async () => {
      const { ada, file } = await scene()
      const database = databaseNames[placeOf(ada.id)] ?? FIRST
      const [grantee_id, mallory_id] = [newUserIdIn(database), newUserIdIn(database)]
      const mallory = new Creator(mallory_id, await tokenFor(mallory_id))
      expect((await ada.createShare(file, to(grantee_id))).status).toBe(201)
      return () => mallory.createShare(file, to(grantee_id))
    },
  ],
  [
    'a file in the trash',
    'FILE_NOT_FOUND',
    404,
    async () => {
      const { ada, file } = await scene()
      await ada.delete(file)
      return () => ada.createShare(file, to())
    },
  ],
  [
    'a folder',
    'FILE_IS_FOLDER',
    409,
    async () => {
      const { ada } = await scene()
      const folder = await ada.folder()
      return () => ada.createShare(folder, to())
    },
  ],
  [
    'a file whose content has not arrived',
    'FILE_NOT_READY',
    409,
    async () => {
      const { ada } = await scene()
      const { file } = await ada.upload({ size_bytes: 3 })
      return () => ada.createShare(file ?? '', to())
    },
  ],
  [
    'a time that has passed',
    'VALIDATION_FAILED',
    400,
    async () => {
      const { ada, file } = await scene()
      return () => ada.createShare(file, to(undefined, { expires_at: 1 }))
    },
  ],
  [
    'a user with oneself',
    'SHARE_INVALID_GRANTEE',
    400,
    async () => {
      const { ada, file } = await scene()
      return () => ada.createShare(file, to(ada.id))
    },
  ],
  [
    'a file with as many shares as it may have',
    'LIMIT_REACHED',
    409,
    async () => {
      const { ada, file } = await scene(serviceWith({ MAX_SHARES_PER_FILE: '1' }))
      expect((await ada.createShare(file, to())).status).toBe(201)
      return () => ada.createShare(file, to())
    },
  ],
  [
    'more with one user than is allowed',
    'LIMIT_REACHED',
    409,
    async () => {
      const { ada, file } = await scene(serviceWith({ MAX_SHARES_PER_GRANTEE: '0' }))
      return () => ada.createShare(file, to())
    },
  ],
  [
    'with a key that came with another request',
    'IDEMPOTENCY_KEY_REUSED',
    422,
    async () => {
      const { ada, file } = await scene()
      const key = newKey()
      expect((await ada.createShare(file, to(), key)).status).toBe(201)
      return () => ada.createShare(file, to(), key)
    },
  ],
  [
    'with a key whose share is gone',
    'SHARE_NOT_FOUND',
    404,
    async () => {
      const { ada, file } = await scene()
      const [key, share] = [newKey(), to()]
      await ada.revoke(idOf(await ada.createShare(file, share, key)))
      await everywhere('DELETE FROM share_hints')
      return () => ada.createShare(file, share, key)
    },
  ],
  [
    'with a key more than a user may have',
    'LIMIT_REACHED',
    409,
    async () => {
      const { ada, file } = await scene(serviceWith({ MAX_IDEMPOTENCY_KEYS: '0' }))
      return () => ada.createShare(file, to(), newKey())
    },
  ],
  [
    'a file whose partition is being moved',
    'UNAVAILABLE',
    503,
    async () => {
      const { ada, file } = await scene()
      const frozen = `INSERT INTO partitions (partition, state) VALUES (?, 'frozen')
        ON CONFLICT (partition) DO UPDATE SET state = 'frozen'`
      await homeOf(ada.id).prepare(frozen).bind(partitionOf(ada.id)).run()
      return () => ada.createShare(file, to())
    },
  ],
]

describe('a refused share', () => {
  it.each(refusals)('writes no hint: %s (%s)', async (_, code, status, of) => {
    const ask = await of()
    const before = await hints()
    for (let times = 0; times < 4; times++) expect(await ask()).toBeProblem(status, code)
    expect((await hints()) - before).toBe(0)
  })
})
