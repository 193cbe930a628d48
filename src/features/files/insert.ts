import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { createdAt } from '../../platform/db/marks.ts'
import { files } from '../../platform/db/schema.ts'
import { insert, keptStatements, type Rendered } from '../../platform/db/sql.ts'
import { isNotGarbage } from '../../platform/storage/garbage.ts'
import type { FileRow } from './row.ts'
import { canCreateIn } from './tree/placement.ts'
import { shownColumns } from './tree/visibility.ts'

const keptInsert = keptStatements<FileRow>()

/** The columns of the caller's new item. `object_key`: the content of a file that has it from the start. */
type NewItem = Pick<
  FileRow,
  'id' | 'parent_id' | 'name' | 'asset_type' | 'size_bytes' | 'mime_type' | 'processing_state'
> & { object_key?: string }

/**
 * The statement that inserts an item if its parent folder is live and the caller's, and otherwise inserts no row
 * (docs/architecture.md#writing-without-races). It inserts no row, either, when the content is queued for deletion.
 * `answers`: whether the statement returns the row.
 */
export function insertItem(
  ctx: RequestContext,
  item: NewItem,
  answers: 'row' | 'nothing',
): Rendered<FileRow> {
  const isAtRoot = item.parent_id === null
  const values = {
    ...item,
    owner_id: ctx.user_id,
    now: seconds(ctx),
    max_depth: ctx.config.MAX_FOLDER_DEPTH,
  }
  return keptInsert(
    `${isAtRoot ? 'at the root' : 'in a folder'}, answers ${answers}`,
    (slot) => {
      const owner_id = slot('owner_id')
      const now = createdAt(slot('now'), owner_id)
      const row = {
        id: slot('id'),
        owner_id,
        parent_id: slot('parent_id'),
        name: slot('name'),
        asset_type: slot('asset_type'),
        size_bytes: slot('size_bytes'),
        mime_type: slot('mime_type'),
        processing_state: slot('processing_state'),
        object_key: item.object_key === undefined ? undefined : slot('object_key'),
        created_at: now,
        updated_at: now,
      }
      const canCreate = canCreateIn(isAtRoot ? null : slot('parent_id'), owner_id, slot('max_depth'))
      const isKept = item.object_key === undefined ? sql`1` : isNotGarbage(slot('object_key'))
      const inserted = insert(files, row, sql`WHERE ${canCreate} AND ${isKept}`)
      return answers === 'row' ? sql`${inserted} RETURNING ${shownColumns}` : sql`${inserted}`
    },
    values,
  )
}
