import type { z } from '@hono/zod-openapi'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../../platform/context.ts'
import { files, garbage } from '../../platform/db/schema.ts'
import {
  type Bindable,
  columnsOf,
  insert,
  type Params,
  type Prepared,
  perShape,
  type RowOf,
  statement,
} from '../../platform/db/sql.ts'
import { deletionTimes } from '../../platform/storage/garbage.ts'
import type { ChangedFile, FileRecord, ListedFile } from './schema.ts'

const { charged_bytes, ...columns } = getTableColumns(files)

/** The columns of `files` that rules and records use. */
export const itemColumns = columns

/** A row of `files` with the columns that rules and records use. */
export interface FileRow extends RowOf<typeof itemColumns> {}

/** SQL: the columns of a FileRow, by their plain names. */
export const fileColumns = columnsOf(itemColumns)

/** A row as others than its owner see it: without the counts of its shares. */
export function withoutShares(file: FileRow): FileRow {
  return { ...file, share_count: 0, expired_share_count: 0 }
}

/** An item as the answer to a change shows it, without MIME type and processing state (docs/conformance.md#files). */
export function changedRecord(file: FileRow): z.output<typeof ChangedFile> {
  const { id, owner_id, parent_id, name, asset_type, size_bytes, is_public, created_at, updated_at } = file
  const isShared = file.share_count > file.expired_share_count
  return {
    id,
    owner_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    is_public: is_public === 1,
    created_at,
    updated_at,
    // Only the owner sees a blocked item.
    ...(file.blocked === 1 && { blocked: true as const }),
    ...(isShared && { shared: true as const }),
  }
}

/** An item as the API shows it (docs/conformance.md#files). */
export function fileRecord(file: FileRow): z.output<typeof FileRecord> {
  const { mime_type, processing_state } = file
  return { ...changedRecord(file), mime_type, processing_state }
}

/** An item as lists show it. */
export function listedRecord(file: FileRow): z.output<typeof ListedFile> {
  return file.asset_type === 'folder' ? { ...fileRecord(file), shortcode: null } : fileRecord(file)
}

/**
 * The maker of the statement that queues the content of files for deletion from `next_at` on (Unix seconds), for the batch that
 * removes or replaces the content. `which` selects rows of `files`. With CONTENT_GRACE_DAYS the content stays that long, unless
 * its owner has been erased. The upload's URL may still create the object until the upload expires.
 */
export function contentDeletion<Name extends string>(which: (p: Params<Name>) => SQL) {
  const enqueue = perShape((isKept: boolean) =>
    statement((p: Params<string>) => {
      const [now, next_at, kept_until] = [sql`${p.now}`, sql`${p.next_at}`, sql`${p.kept_until}`]
      const row = {
        object_key: sql`object_key`,
        writable_until: sql`coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0)`,
        ...deletionTimes({ now, next_at, kept_until: isKept ? kept_until : null }, sql`size_bytes`),
      }
      return sql`${insert(garbage, row, sql`FROM files WHERE ${which(p)} AND object_key IS NOT NULL`)}
        ON CONFLICT (object_key) DO NOTHING`
    }),
  )
  return (
    ctx: Pick<RequestContext, 'config' | 'now_ms'>,
    values: { [One in Name]: Bindable },
    next_at = 0,
  ): Prepared => {
    const kept_until = keptUntil(ctx)
    return enqueue(kept_until !== null)({ ...values, now: seconds(ctx), next_at, kept_until })
  }
}
