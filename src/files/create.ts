import sql from 'sql-template-tag'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import type { FileRow } from './record.ts'
import type { CreateFolder } from './schema.ts'
import { canCreateIn, whyNotCreated } from './tree/placement.ts'
import { isOwn, pathTo, shownColumns, visibleTo } from './tree/walk.ts'

/**
 * Creates a folder (specification §4.1), in one batch that requires the parent's whole path to be live.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, LIMIT_REACHED (items, folder_depth),
 * IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the folder that the same key made has gone since.
 */
export async function createFolder(
  ctx: RequestContext,
  input: CreateFolder,
  key?: IdempotencyKey,
): Promise<FileRow> {
  const { db, config, user_id } = ctx
  const id = newId()
  const now = createdAt(seconds(ctx), user_id)
  const parent_id = input.parent_id ?? null
  return createIdempotently(db, key, {
    create: async () => {
      const [, [folder]] = await db.batch<[never, FileRow]>([
        ensureUsageRow(ctx),
        sql`INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
          SELECT ${id}, ${user_id}, ${parent_id}, ${input.name}, 'folder', 0, ${now}, ${now}
          WHERE ${canCreateIn(parent_id, user_id, config.MAX_FOLDER_DEPTH)}
          RETURNING ${shownColumns}`,
        ...dropExpiredKey(key),
        ...recordKey(key, sql`SELECT id FROM files WHERE id = ${id}`),
      ])
      return folder
    },
    replay: async (made_id) => {
      const path = await db.all<FileRow>(pathTo(made_id))
      const sight = isOwn(path, user_id) ? visibleTo(path, user_id) : undefined
      if (!sight) throw new ApiError('FILE_NOT_FOUND')
      return sight.item
    },
    explain: () => whyNotCreated(ctx, parent_id),
  })
}
