import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { fileTypes } from '../../platform/db/enumerations.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { isNotGarbage } from '../../platform/storage/garbage.ts'
import { enqueueContentDeletion } from '../files/delete.ts'
import type { FileRow } from '../files/row.ts'
import { isLive, writeError } from '../files/tree/lifecycle.ts'
import { shownColumns } from '../files/tree/visibility.ts'
import { pathTo } from '../files/tree/walk.ts'
import { quotaUsedNext } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { replacementError } from '../uploads/targets.ts'
import { contentArrived } from './events.ts'
import { kindError, type ReceivedContent, receive, type SentContent, storedAs } from './received.ts'
import { storeContent } from './store.ts'

/**
 * Replaces the content of a file of the caller's (docs/conformance.md#small-content-in-one-request). The file's kind is unknown
 * before the write, so the write requires one of the kinds that the content can be of.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE, UPLOAD_REQUIRED, UPLOAD_MISMATCH, FILE_NOT_FOUND, FILE_IS_FOLDER,
 * FILE_NOT_READY, PRECONDITION_FAILED, QUOTA_EXCEEDED
 */
export async function replaceContent(
  ctx: RequestContext,
  id: string,
  sent: SentContent,
  expected: ExpectedRevisions = null,
): Promise<FileRow> {
  const { db, user_id } = ctx
  const content = await receive(ctx, sent)
  const kinds = fileTypes.filter((kind) => kindError(ctx, kind, content) === undefined)
  const whyNot = async () => {
    const path = await db.read(pathTo({ id }))
    return (
      writeError(path, user_id, expected) ??
      (path[0] && replacementError(path[0], (kind) => kindError(ctx, kind, content)))
    )
  }
  return retryOnConflict(async () => {
    const replaced =
      kinds.length > 0
        ? await storeContent(ctx, storedAs(content, id), {
            whyNot,
            write: (object_key) => swapContent(ctx, id, { ...content, object_key }, kinds, expected),
          })
        : undefined
    if (replaced) return replaced
    const error = await whyNot()
    if (error) throw error
    return undefined
  })
}

/** Undefined when the file can't take the content. */
async function swapContent(
  ctx: RequestContext,
  id: string,
  { object_key, size_bytes, mime_type }: ReceivedContent & { object_key: string },
  kinds: readonly string[],
  expected: ExpectedRevisions,
): Promise<FileRow | undefined> {
  const { db, user_id, config } = ctx
  const now = seconds(ctx)
  const canReplace = sql`id = ${id} AND ${isLive(id, user_id)} AND ${revisionIn(expected)}
      AND asset_type IN (SELECT value FROM json_each(${JSON.stringify(kinds)}))
      AND processing_state IN ('ready', 'failed') AND ${isNotGarbage(object_key)}`
  const changes = {
    processing_state: 'ready',
    size_bytes,
    mime_type,
    object_key,
    revision: sql`revision + 1`,
    updated_at: updatedAt(now),
  } as const
  const {
    replaced: [replaced],
  } = await db.write({
    usage: ensureUsageRow(ctx),
    quota: quotaUsedNext(
      ctx,
      user_id,
      sql`SELECT ${size_bytes} - charged_bytes FROM files WHERE ${canReplace}`,
    ),
    earlier: enqueueContentDeletion(ctx, canReplace, now + config.DOWNLOAD_URL_TTL),
    replaced: sql<FileRow>`UPDATE files SET ${assignments(files, changes)} WHERE ${canReplace} RETURNING ${shownColumns}`,
    events: contentArrived(ctx, id, object_key),
  })
  return replaced
}
