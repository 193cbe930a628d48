import sql from 'sql-template-tag'
import { newId } from '../db/id.ts'
import { forgetExpired, once, type RetryKey, remember } from '../db/once.ts'
import { ApiError } from '../errors.ts'
import { creationRefusedBecause } from '../files/create-folder.ts'
import { mayCreateIn } from '../files/enter.ts'
import { type FileRow, fileColumns } from '../files/record.ts'
import { seconds, type Work } from '../http/context.ts'
import { openAccount } from '../quota/usage.ts'
import { largest } from './limits.ts'
import { readUpload } from './read.ts'
import { type UploadOfFile, type UploadRow, uploadColumns } from './record.ts'
import type { CreateUpload } from './schema.ts'

/**
 * Starts an upload: a pending file in its place, and the bytes reserved, in one batch that requires the whole
 * path above to be live (decisions, "Uploads").
 *
 * @throws UPLOAD_TOO_LARGE, FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER, QUOTA_EXCEEDED,
 * LIMIT_REACHED (items, open_uploads, folder_depth), IDEMPOTENCY_KEY_REUSED; UPLOAD_NOT_FOUND when the upload
 * that the same key started has gone since.
 */
export async function startUpload(work: Work, input: CreateUpload, key?: RetryKey): Promise<UploadOfFile> {
  const { db, config, user_id } = work
  const { name, asset_type, size_bytes, mime_type } = input
  if (size_bytes > largest[asset_type])
    throw new ApiError('UPLOAD_TOO_LARGE', {
      detail: `Content of type ${asset_type} may have at most ${largest[asset_type]} bytes.`,
    })
  const [id, file_id] = [newId(), newId()]
  const now = seconds(work)
  const parent_id = input.parent_id ?? null
  return once(db, key, {
    make: async () => {
      const [, [file], [upload]] = await db.batch<[never, FileRow, UploadRow]>([
        openAccount(work),
        sql`INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type,
            processing_state, created_at, updated_at)
          SELECT ${file_id}, ${user_id}, ${parent_id}, ${name}, ${asset_type}, ${size_bytes}, ${mime_type},
            'pending', ${now}, ${now}
          WHERE ${mayCreateIn(parent_id, user_id, config.MAX_FOLDER_DEPTH)}
          RETURNING ${fileColumns}`,
        sql`INSERT INTO uploads (id, owner_id, upload_type, file_id, size_bytes, mime_type, checksum_sha256,
            created_at, expires_at)
          SELECT ${id}, owner_id, 'file', id, size_bytes, mime_type, ${input.checksum_sha256 ?? null},
            ${now}, ${now + config.UPLOAD_TTL}
          FROM files WHERE id = ${file_id}
          RETURNING ${uploadColumns}`,
        ...forgetExpired(key),
        ...remember(key, sql`SELECT id FROM uploads WHERE id = ${id}`),
      ])
      return file && upload && { file, upload }
    },
    found: (made_id) => readUpload(work, made_id),
    why: () => creationRefusedBecause(work, parent_id),
  })
}
