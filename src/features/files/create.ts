import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import { files } from '../../platform/db/schema.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { isNotGarbage } from '../../platform/storage/garbage.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isOwn, pathTo, shownColumns, visibleTo } from './path.ts'
import { canCreateIn, whyNotCreated } from './placement.ts'
import type { FileRow } from './row.ts'
import type { CreateFolder } from './schema.ts'

/** The columns of the caller's new item. */
type NewItem = 'id' | 'parent_id' | 'name' | 'asset_type' | 'size_bytes' | 'mime_type' | 'processing_state'

/**
 * The statement that inserts an item if its parent folder is live and the owner's, and otherwise inserts no row
 * (docs/architecture.md#writing-without-races). It inserts no row, either, when the content `object_key` (null: none) is
 * queued for deletion. `answers`: whether it returns the row.
 */
export const insertItem = perShape((answers: 'row' | 'nothing') =>
  statement((p: Params<NewItem | 'object_key' | 'owner_id' | 'now' | 'max_depth'>) => {
    const now = createdAt(p.now, p.owner_id)
    const row = {
      id: p.id,
      owner_id: p.owner_id,
      parent_id: p.parent_id,
      name: p.name,
      asset_type: p.asset_type,
      size_bytes: p.size_bytes,
      mime_type: p.mime_type,
      processing_state: p.processing_state,
      object_key: p.object_key,
      created_at: now,
      updated_at: now,
    }
    const canCreate = canCreateIn(p.parent_id, p.owner_id, p.max_depth)
    const isKept = sql`(${p.object_key} IS NULL OR ${isNotGarbage(p.object_key)})`
    const inserted = insert(files, row, sql`WHERE ${canCreate} AND ${isKept}`)
    return sql<FileRow>`${inserted} ${answers === 'row' ? sql`RETURNING ${shownColumns}` : sql.empty()}`
  }),
)

const recordFile = keyRecorder((p: Params<'id'>) => sql`SELECT id FROM files WHERE id = ${p.id}`)

/**
 * Creates a folder (docs/conformance.md#files). The statement requires that the parent's whole path is live.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, LIMIT_REACHED (items, folder_depth, idempotency_keys),
 * IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the folder that an earlier request with the key made is gone.
 */
export async function createFolder(
  ctx: RequestContext,
  { name, parent_id = null }: CreateFolder,
  key?: IdempotencyKey,
): Promise<FileRow> {
  const { db, user_id, config } = ctx
  const folder = {
    id: newId(user_id),
    owner_id: user_id,
    parent_id,
    name,
    asset_type: 'folder',
    size_bytes: 0,
    mime_type: null,
    processing_state: null,
    object_key: null,
    now: seconds(ctx),
    max_depth: config.MAX_FOLDER_DEPTH,
  }
  return createIdempotently(db, key, {
    create: async () => {
      const {
        created: [created],
      } = await db.write({
        usage: ensureUsageRow(ctx),
        created: insertItem('row')(folder),
        expired_key: dropExpiredKey(key),
        key: recordFile(key, folder),
      })
      return created
    },
    replay: async (made_id) => {
      const path = await db.read(pathTo({ id: made_id }))
      const visible = isOwn(path, user_id) ? visibleTo(path, user_id) : undefined
      if (!visible) throw new ApiError('FILE_NOT_FOUND')
      return visible.item
    },
    explain: () => whyNotCreated(ctx, parent_id),
  })
}
