import { createContent, replaceContent, type SentContent } from '../../src/features/content/write.ts'
import { createFolder } from '../../src/features/files/create.ts'
import { lifecycleOf, pathTo } from '../../src/features/files/path.ts'
import type { FileRow } from '../../src/features/files/row.ts'
import { setPreview } from '../../src/features/previews/preview.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { UploadRow } from '../../src/features/uploads/row.ts'
import { startUpload } from '../../src/features/uploads/start.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { base64 } from '../../src/platform/lib/text.ts'
import { arrive } from './content.ts'
import { png } from './pictures.ts'
import type { Round } from './race.ts'

/** Common actions of tests that call the rules directly. */

export const folder = (work: RequestContext, name: string, parent_id?: string | null) =>
  createFolder(work, { name, asset_type: 'folder', parent_id })

/** Returns the value. @throws when it is undefined */
export function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('it is not there')
  return value
}

/** Starts an upload of a new file. */
export const upload = async (
  work: RequestContext,
  parent_id: string | null = null,
  size_bytes = 3,
  checksum_sha256?: string,
) => {
  const started = await startUpload(work, {
    purpose: 'file',
    name: 'content',
    asset_type: 'file',
    parent_id,
    size_bytes,
    mime_type: 'text/plain',
    checksum_sha256,
  })
  return { upload: started.upload, file: there(started.file) }
}

/** Completes an upload of a file. */
export const complete = async (work: RequestContext, id: string) => {
  const completed = await completeUpload(work, id)
  return { upload: completed.upload, file: there(completed.file) }
}

/** Completes uploads in a round of a race. */
export const completeAtOnce = (round: Round, work: RequestContext, uploads: { upload: { id: string } }[]) =>
  round.race(
    uploads.map(
      ({ upload }) =>
        () =>
          completeUpload(work, upload.id),
    ),
  )

/** A ready file. */
export async function file(
  work: RequestContext,
  parent_id: string | null = null,
  size_bytes = 3,
): Promise<FileRow> {
  const started = await upload(work, parent_id, size_bytes)
  await arrive(started.upload.id, size_bytes)
  return (await complete(work, started.upload.id)).file
}

/** Content as a request sends it. */
async function sent(content: number | string = 3, mime_type = 'text/plain'): Promise<SentContent> {
  const text = typeof content === 'number' ? 'x'.repeat(content) : content
  const bytes = await new Blob([text]).arrayBuffer()
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return { bytes, mime_type, digest, checksum_sha256: base64(digest), is_declared: false }
}

/** A file that came in one request. */
export const fileAtOnce = async (work: RequestContext, content: number | string = 3, parent_id?: string) =>
  createContent(work, { name: 'content', asset_type: 'file', parent_id }, await sent(content))

/** Replaces a file's content in one request. */
export const replaceAtOnce = async (
  work: RequestContext,
  id: string,
  content: number | string = 3,
  expected: number[] | null = null,
) => replaceContent(work, id, await sent(content), expected)

const declared = { size_bytes: 3, mime_type: 'text/plain', checksum_sha256: undefined }

/** Starts an upload that replaces a file's content. */
export const replacement = (
  work: RequestContext,
  file_id: string,
  expected: number[] | null = null,
  size_bytes = 3,
) => startUpload(work, { purpose: 'replacement', file_id, ...declared, size_bytes }, undefined, expected)

/** Starts an upload of a new asset. */
export const newAsset = (
  work: RequestContext,
  name: string,
  visibility: 'public' | 'private' = 'private',
  size_bytes = 3,
) => startUpload(work, { purpose: 'asset', name, asset_type: 'world', visibility, ...declared, size_bytes })

/** Starts an upload of a new version. */
export const newVersion = (
  work: RequestContext,
  asset_id: string,
  size_bytes = 3,
  expected: number[] | null = null,
) => startUpload(work, { purpose: 'version', asset_id, ...declared, size_bytes }, undefined, expected)

/** A game asset with one version. */
export async function asset(
  work: RequestContext,
  name = 'asset',
  visibility: 'public' | 'private' = 'private',
  size_bytes = 3,
) {
  const { upload } = await newAsset(work, name, visibility, size_bytes)
  await arrive(upload.id, size_bytes)
  return there((await completeUpload(work, upload.id)).asset)
}

/** Adds a version to an asset, the whole way. */
export async function version(work: RequestContext, asset_id: string) {
  const { upload } = await newVersion(work, asset_id)
  await arrive(upload.id)
  return there((await completeUpload(work, upload.id)).version)
}

/** Starts an upload of a variant of a version. */
export const newVariant = (
  work: RequestContext,
  asset_id: string,
  of: { version: number; platform: string },
  size_bytes = 3,
) => startUpload(work, { purpose: 'variant', asset_id, ...of, ...declared, size_bytes })

/** Adds a variant to a version, the whole way. */
export async function variant(
  work: RequestContext,
  asset_id: string,
  of: { version: number; platform: string },
) {
  const { upload } = await newVariant(work, asset_id, of)
  await arrive(upload.id)
  return there((await completeUpload(work, upload.id)).version)
}

/** Sets the preview of an asset: a PNG with zeros behind it, up to this size. */
export async function preview(
  work: RequestContext,
  asset_id: string,
  size_bytes = png.length,
  expected: number[] | null = null,
) {
  const bytes = new Uint8Array(size_bytes)
  bytes.set(png)
  return setPreview(work, asset_id, bytes.buffer, expected)
}

export async function standingOf(work: RequestContext, id: string) {
  return lifecycleOf(await work.db.read<FileRow>(pathTo({ id })))
}

/** Starts an upload of each kind, with what it hangs on. */
export const startsOfUploads: Record<string, (work: RequestContext) => Promise<UploadRow>> = {
  'a file': async (work) => (await upload(work)).upload,
  'new content of a file': async (work) => (await replacement(work, (await file(work)).id)).upload,
  'a new asset': async (work) => (await newAsset(work, 'asset')).upload,
  'a new version': async (work) => (await newVersion(work, (await asset(work)).id)).upload,
  'a variant': async (work) =>
    (await newVariant(work, (await asset(work)).id, { version: 1, platform: 'pc' })).upload,
}
