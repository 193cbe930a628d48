import { ApiError } from '../errors.ts'
import type { FileRow } from '../files/record.ts'
import { seconds, type Work } from '../http/context.ts'
import { type UploadOfFile, type UploadRow, uploadAndPresentFile } from './record.ts'

/** A caller's upload, ended or still open. @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED */
export async function readUpload(work: Work, id: string): Promise<UploadOfFile> {
  const [[upload], [file]] = await work.db.batch<[UploadRow, FileRow]>(uploadAndPresentFile(id, work.user_id))
  if (!upload || !file) throw new ApiError('UPLOAD_NOT_FOUND')
  refuseExpired(upload, work)
  return { upload, file }
}

/** @throws UPLOAD_EXPIRED for an open upload whose time is over; the scheduled job clears it away */
export function refuseExpired(upload: UploadRow, work: Work): void {
  const isOpen = upload.state === 'open' || upload.state === 'completing'
  if (isOpen && upload.expires_at <= seconds(work))
    throw new ApiError('UPLOAD_EXPIRED', { detail: 'Start a new upload.' })
}
