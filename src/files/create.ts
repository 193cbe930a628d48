import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { files } from '../db/schema.ts'
import { insert, keptStatements, type Slot } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import type { FileRow } from './record.ts'
import type { CreateFolder } from './schema.ts'
import { isOwn } from './tree/lifecycle.ts'
import { canCreateIn, whyNotCreated } from './tree/placement.ts'
import { shownColumns, visibleTo } from './tree/visibility.ts'
import { pathTo } from './tree/walk.ts'

/**
 * Creates a folder (specification §4.1). The statement requires that the parent's whole path is live.
 *
 * @throws FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, LIMIT_REACHED (items, folder_depth),
 * IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the folder that an earlier request with the key made is gone.
 */
export async function createFolder(
  ctx: RequestContext,
  input: CreateFolder,
  key?: IdempotencyKey,
): Promise<FileRow> {
  const { db, config, user_id } = ctx
  const id = newId(user_id)
  const parent_id = input.parent_id ?? null
  const values = {
    id,
    owner_id: user_id,
    parent_id,
    name: input.name,
    now: seconds(ctx),
    max_depth: config.MAX_FOLDER_DEPTH,
  }
  return createIdempotently(db, key, {
    create: async () => {
      const {
        created: [created],
      } = await db.batch({
        usage: ensureUsageRow(ctx),
        created: keptInsert(
          parent_id === null ? 'at the root' : 'in a folder',
          (slot) => insertStatement(slot, parent_id === null),
          values,
        ),
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM files WHERE id = ${id}`),
      })
      return created
    },
    replay: async (made_id) => {
      const path = await db.all(pathTo(made_id))
      const visible = isOwn(path, user_id) ? visibleTo(path, user_id) : undefined
      if (!visible) throw new ApiError('FILE_NOT_FOUND')
      return visible.item
    },
    explain: () => whyNotCreated(ctx, parent_id),
  })
}

const keptInsert = keptStatements<FileRow>()

function insertStatement(
  slot: Slot<'id' | 'owner_id' | 'parent_id' | 'name' | 'now' | 'max_depth'>,
  isAtRoot: boolean,
): SQL<FileRow> {
  const owner_id = slot('owner_id')
  const now = createdAt(slot('now'), owner_id)
  const folder = {
    id: slot('id'),
    owner_id,
    parent_id: slot('parent_id'),
    name: slot('name'),
    asset_type: 'folder' as const,
    size_bytes: 0,
    created_at: now,
    updated_at: now,
  }
  const canCreate = canCreateIn(isAtRoot ? null : slot('parent_id'), owner_id, slot('max_depth'))
  return sql`${insert(files, folder, sql`WHERE ${canCreate}`)} RETURNING ${shownColumns}`
}
