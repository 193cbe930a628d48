import { env } from 'cloudflare:test'
import { createFolder } from '../../src/files/create-folder.ts'
import { pathTo, standing } from '../../src/files/path.ts'
import type { FileRow } from '../../src/files/record.ts'
import type { Work } from '../../src/http/context.ts'
import { completeUpload } from '../../src/uploads/complete.ts'
import { startUpload } from '../../src/uploads/start.ts'

/** What tests at function level do over and over, in the words of the rules. */

export const folder = (work: Work, name: string, parent_id?: string | null) =>
  createFolder(work, { name, asset_type: 'folder', parent_id })

export const upload = (work: Work, parent_id: string | null = null, size_bytes = 3) =>
  startUpload(work, {
    upload_type: 'file',
    name: 'content',
    asset_type: 'file',
    parent_id,
    size_bytes,
    mime_type: 'text/plain',
  })

/** The client's PUT: as many bytes as the tests' uploads declare. */
export const arrive = (id: string, size_bytes = 3) =>
  env.BUCKET.put(id, 'x'.repeat(size_bytes), { httpMetadata: { contentType: 'text/plain' } })

/** A ready file. */
export async function file(work: Work, parent_id: string | null = null): Promise<FileRow> {
  const started = await upload(work, parent_id)
  await arrive(started.upload.id)
  return (await completeUpload(work, started.upload.id)).file
}

export async function standingOf(work: Work, id: string) {
  return standing(await work.db.all<FileRow>(pathTo(id)))
}
