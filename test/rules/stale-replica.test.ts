import { expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { versionUrls } from '../../src/features/assets/urls.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { downloadUrls } from '../../src/features/files/read.ts'
import { readQuota, setQuota } from '../../src/features/quota/quota.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { listTrash } from '../../src/features/trash/list.ts'
import { readUser } from '../../src/operators/users/read.ts'
import { fileAtOnce, folder, replaceAtOnce } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { overEvery } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { withSessions } from '../support/outgoing.ts'

/** Databases with an empty replica, which serves requests with a bookmark. */
const behind = overEvery((database) =>
  withSessions(database, (_, constraint) =>
    constraint === 'first-primary'
      ? {}
      : {
          prepare: () => ({ bind: () => ({ all: async () => ({ results: [] }) }) }),
          batch: async (statements: unknown[]) => statements.map(() => ({ results: [] })),
        },
  ),
)
const position = '00000000-00000000-00000000-00000000000000000000000000000000'
const newDatabasesBehind = () => databasesOver(behind, { bookmark: { database: 'DB', position } })
const databasesBehind = newDatabasesBehind()

it('empties the trash although the nearest replica has not received the items yet', async () => {
  const ada = contextOf(newUserId())
  const { id } = await folder(ada, 'a')
  await deleteFile(ada, id)
  await emptyTrash({ ...ada, db: databasesBehind.home(ada.user_id) })
  expect((await listTrash(ada, { limit: 100 })).rows).toEqual([])
})

it('answers with a limit that an operator has just set, although the nearest replica has not received it yet', async () => {
  const ada = contextOf(newUserId())
  await setQuota(ada, ada.user_id, 7)
  const quota = await readQuota(
    { ...ada, databases: databasesBehind, db: databasesBehind.home(ada.user_id) },
    ada.user_id,
  )
  expect(quota?.limit_bytes).toBe(7)
  const { counts } = await readUser({ ...ada, databases: newDatabasesBehind() }, ada.user_id)
  expect(counts?.limit_bytes).toBe(7)
})

it('decides from the primary who gets the URLs of many files and assets', async () => {
  const ada = contextOf(newUserId())
  const [{ id }, asset] = [
    await folder(ada, 'a'),
    await createAsset(ada, { name: 'a', type: 'world', visibility: 'private' }),
  ]
  // Anew for each request: a session that has used the primary reads no older replica.
  const behindReplica = () => ({ ...ada, databases: newDatabasesBehind() })
  expect(await downloadUrls(behindReplica(), [id])).toEqual([{ id, code: 'FILE_IS_FOLDER' }])
  const [found] = await versionUrls(behindReplica(), [{ asset_id: asset.id }])
  expect(found).toMatchObject({ version: 0, code: 'VERSION_NOT_FOUND' })
})

it('puts large content into what the nearest replica has not received yet', async () => {
  const ada = contextOf(newUserId())
  const behindReplica = () => {
    const databases = newDatabasesBehind()
    return { ...ada, databases, db: databases.home(ada.user_id) }
  }
  const { id } = await fileAtOnce(behindReplica(), 100_000, (await folder(ada, 'a')).id)
  expect(await replaceAtOnce(behindReplica(), id, 100_001)).toMatchObject({ size_bytes: 100_001 })
})
