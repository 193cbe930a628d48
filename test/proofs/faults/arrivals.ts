import { env } from 'cloudflare:test'
import type { UploadRow } from '../../../src/features/uploads/row.ts'
import type { RequestContext } from '../../../src/platform/context.ts'
import { upload } from '../../support/acts.ts'
import { arrive } from '../../support/content.ts'
import { contextOf } from '../../support/context.ts'
import type { Asked, Scene } from './scene.ts'

/** Starts an upload that comes in one part, and lets nothing arrive. */
export async function inParts({ user_id }: RequestContext, size_bytes = 3): Promise<UploadRow> {
  const work = contextOf(user_id, {}, { MULTIPART_THRESHOLD: 0 })
  return (await upload(work, null, size_bytes)).upload
}

/** The same, with a name, and known to the scene. */
export async function namedParts(scene: Scene, size_bytes?: number): Promise<UploadRow> {
  const started = await inParts(scene.ada, size_bytes)
  scene.inParts.push(started)
  return scene.named('upload', started)
}

/** Sends the only part. Returns what its completion says of it. */
export async function sendPart({ id, multipart_id }: UploadRow) {
  const part = await env.BUCKET.resumeMultipartUpload(id, multipart_id ?? '').uploadPart(1, 'abc')
  return { part_number: 1, etag: part.etag }
}

/** Names an upload, and lets its content arrive. */
export async function arrived<Started extends { upload: { id: string; size_bytes: number } }>(
  scene: Scene,
  started: Promise<Started>,
  size_bytes = 3,
): Promise<Started> {
  const made = await started
  scene.named('upload', made.upload)
  scene.arrived.push(made.upload)
  await arrive(made.upload.id, size_bytes)
  return made
}

/** The request that completes an upload. */
export const completion = ({ id }: { id: string }, json: unknown = {}): Asked => ({
  method: 'POST',
  path: `/uploads/${id}/complete`,
  json,
})
