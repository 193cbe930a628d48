import sql from 'sql-template-tag'
import { seconds, type Work } from '../context.ts'
import { newId } from '../db/id.ts'
import { forgetExpired, once, type RetryKey, remember } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { openAccount } from '../quota/usage.ts'
import type { FileRow } from './record.ts'
import type { CreateFolder } from './schema.ts'
import { creationRefusedBecause, mayCreateIn } from './tree/placement.ts'
import { isOwn, pathTo, shownColumns, sightOf } from './tree/walk.ts'

/**
 * Creates a folder (specification §4.1), in one batch that requires the parent's whole path to be live.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, LIMIT_REACHED (items, folder_depth),
 * IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the folder that the same key made has gone since.
 */
export async function createFolder(work: Work, input: CreateFolder, key?: RetryKey): Promise<FileRow> {
  const { db, config, user_id } = work
  const id = newId()
  const now = createdAt(seconds(work), user_id)
  const parent_id = input.parent_id ?? null
  return once(db, key, {
    make: async () => {
      const [, [folder]] = await db.batch<[never, FileRow]>([
        openAccount(work),
        sql`INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
          SELECT ${id}, ${user_id}, ${parent_id}, ${input.name}, 'folder', 0, ${now}, ${now}
          WHERE ${mayCreateIn(parent_id, user_id, config.MAX_FOLDER_DEPTH)}
          RETURNING ${shownColumns}`,
        ...forgetExpired(key),
        ...remember(key, sql`SELECT id FROM files WHERE id = ${id}`),
      ])
      return folder
    },
    found: async (made_id) => {
      const path = await db.all<FileRow>(pathTo(made_id))
      const sight = isOwn(path, user_id) ? sightOf(path, user_id) : undefined
      if (!sight) throw new ApiError('FILE_NOT_FOUND')
      return sight.item
    },
    why: () => creationRefusedBecause(work, parent_id),
  })
}
