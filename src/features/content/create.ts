import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { insertItem } from '../files/create.ts'
import { readFile } from '../files/read.ts'
import type { FileRow } from '../files/row.ts'
import { whyNotCreated } from '../files/tree/placement.ts'
import { quotaUsed } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { contentArrived, hasContent } from './events.ts'
import { kindError, receive, type SentContent, storedAs } from './received.ts'
import type { CreateContent } from './schema.ts'
import { storeContent } from './store.ts'

/**
 * Creates a file with its content (docs/conformance.md#small-content-in-one-request).
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE, UPLOAD_REQUIRED, UPLOAD_MISMATCH, FILE_PARENT_NOT_FOUND,
 * FILE_PARENT_NOT_FOLDER, QUOTA_EXCEEDED, LIMIT_REACHED (items, folder_depth), IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the
 * file that an earlier request with the key made is gone
 */
export async function createContent(
  ctx: RequestContext,
  { name, asset_type, ...input }: CreateContent,
  sent: SentContent,
  key?: IdempotencyKey,
): Promise<FileRow> {
  const { db, user_id, config } = ctx
  const parent_id = input.parent_id ?? null
  const content = await receive(ctx, sent)
  const error = kindError(ctx, asset_type, content)
  if (error) throw error
  const { size_bytes, mime_type } = content
  const id = newId(user_id)
  const whyNot = () => whyNotCreated(ctx, parent_id)
  return createIdempotently(db, key, {
    create: () =>
      storeContent(ctx, storedAs(content, id, name), {
        whyNot,
        write: async (object_key) => {
          const file = {
            id,
            owner_id: user_id,
            parent_id,
            name,
            asset_type,
            size_bytes,
            mime_type,
            processing_state: 'ready',
            object_key,
            now: seconds(ctx),
            max_depth: config.MAX_FOLDER_DEPTH,
          }
          const isMade = hasContent(id, object_key)
          const {
            created: [created],
          } = await db.write({
            usage: ensureUsageRow(ctx),
            created: insertItem('row')(file),
            quota: quotaUsed(ctx, user_id, sql`SELECT made.charged_bytes FROM files AS made WHERE ${isMade}`),
            events: contentArrived(ctx, id, object_key),
            expired_key: dropExpiredKey(key),
            key: recordKey(key, sql`SELECT id FROM files WHERE ${isMade}`),
          })
          return created
        },
      }),
    replay: async (made_id) => (await readFile(ctx, made_id)).item,
    explain: whyNot,
  })
}
