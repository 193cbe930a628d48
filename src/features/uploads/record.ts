import type { z } from '@hono/zod-openapi'
import type { RequestContext } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { assetRecord, type PreviewUrls, versionRecord } from '../assets/row.ts'
import { fileRecord } from '../files/row.ts'
import { urlLifetime } from './lifecycle.ts'
import { isMultipart, partCount, uploadedParts } from './multipart.ts'
import type { UploadAndTarget, UploadRow } from './row.ts'
import type { CompletedUpload, ProcessingUpload, Upload, UploadRecord } from './schema.ts'
import { putHeaders } from './signed-headers.ts'

/** An upload as the API shows it. The record of an open upload says how to send the content. */
export async function uploadRecord(
  ctx: RequestContext,
  found: UploadAndTarget,
): Promise<z.output<typeof Upload>> {
  const { upload } = found
  const ended = endedState(upload)
  if (ended) return { ...commonRecord(found), ...ended }
  const open = { ...commonRecord(found), state: 'open' as const, method: 'PUT' as const }
  if (isMultipart(upload)) {
    const { part_size } = upload
    return {
      ...open,
      multipart: { part_size, part_count: partCount(upload), uploaded: uploadedParts(upload) },
    }
  }
  const headers = putHeaders(upload, nameOf(found), ctx.config.COPY_GUARDS_PUT)
  const { now, ttl } = urlLifetime(ctx, upload)
  const { url, expires_at: url_expires_at } = await ctx.sign.upload(upload.id, headers, now, ttl)
  return { ...open, url, url_expires_at, headers }
}

/** The members of every upload. */
function commonRecord({ upload, file }: UploadAndTarget): z.output<typeof UploadRecord> {
  const { id, upload_type, size_bytes, expires_at } = upload
  return { id, upload_type, size_bytes, expires_at, ...(file && { file: fileRecord(file) }) }
}

/** The states of an upload that takes no more content; undefined for an upload that does. */
function endedState({ state, check_state, failure }: UploadRow) {
  if (state === 'failed')
    return {
      state,
      ...(check_state && {
        processing_state: 'failed' as const,
        ...(failure !== null && { reason: failure }),
      }),
    }
  if (state === 'completed') return { state, ...(check_state && { processing_state: 'ready' as const }) }
  if (check_state === null) return undefined
  const processing_state = check_state === 'waiting' ? ('processing' as const) : check_state
  return { state: 'processing' as const, processing_state }
}

/** The record of an upload in the answer to its start. It has recorded parts only when the start is a retry. */
export async function startedRecord(
  ctx: RequestContext,
  started: UploadAndTarget,
): Promise<z.output<typeof Upload>> {
  const record = await uploadRecord(ctx, started)
  if (!('multipart' in record)) return record
  const { uploaded, ...parts } = record.multipart
  return { ...record, multipart: uploaded?.length ? record.multipart : parts }
}

/** An upload whose content is being checked, as the API shows it: with its file. */
export function processingRecord(found: UploadAndTarget): z.output<typeof ProcessingUpload> {
  const upload = {
    ...commonRecord(found),
    state: 'processing' as const,
    processing_state: 'processing' as const,
  }
  return { upload, ...(found.file && { file: fileRecord(found.file) }) }
}

/**
 * A completed upload as the API shows it: with its file, or with the asset and its new version.
 *
 * @throws ASSET_NOT_FOUND when the asset has been purged
 */
export function completedRecord(
  found: UploadAndTarget,
  previews: PreviewUrls,
): z.output<typeof CompletedUpload> {
  const { file, asset, version } = found
  const processing_state = found.upload.check_state && { processing_state: 'ready' as const }
  const upload = { ...commonRecord(found), state: 'completed' as const, ...processing_state }
  if (file) return { upload, file: fileRecord(file) }
  if (!asset || !version) throw new ApiError('ASSET_NOT_FOUND')
  return { upload, asset: assetRecord(asset, previews), version: versionRecord(version) }
}

/** The name that a download of the content would have. */
function nameOf({ upload, file, asset }: UploadAndTarget): string {
  return file?.name ?? upload.name ?? asset?.name ?? upload.id
}
