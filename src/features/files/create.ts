import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { ApiError } from '../../platform/errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { insertItem } from './insert.ts'
import type { FileRow } from './row.ts'
import type { CreateFolder } from './schema.ts'
import { isOwn } from './tree/lifecycle.ts'
import { whyNotCreated } from './tree/placement.ts'
import { visibleTo } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

/**
 * Creates a folder (docs/conformance.md#41-files). The statement requires that the parent's whole path is live.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, LIMIT_REACHED (items, folder_depth),
 * IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the folder that an earlier request with the key made is gone.
 */
export async function createFolder(
  ctx: RequestContext,
  input: CreateFolder,
  key?: IdempotencyKey,
): Promise<FileRow> {
  const { db, user_id } = ctx
  const id = newId(user_id)
  const parent_id = input.parent_id ?? null
  const folder = {
    id,
    parent_id,
    name: input.name,
    asset_type: 'folder' as const,
    size_bytes: 0,
    mime_type: null,
    processing_state: null,
  }
  return createIdempotently(db, key, {
    create: async () => {
      const {
        created: [created],
      } = await db.write({
        usage: ensureUsageRow(ctx),
        created: insertItem(ctx, folder, 'row'),
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM files WHERE id = ${id}`),
      })
      return created
    },
    replay: async (made_id) => {
      const path = await db.read(pathTo(made_id))
      const visible = isOwn(path, user_id) ? visibleTo(path, user_id) : undefined
      if (!visible) throw new ApiError('FILE_NOT_FOUND')
      return visible.item
    },
    explain: () => whyNotCreated(ctx, parent_id),
  })
}
