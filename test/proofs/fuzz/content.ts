import { env } from 'cloudflare:test'
import { png } from '../../support/pictures.ts'
import type { SentContents } from './sent.ts'
import { rowsOf, type Snapshot } from './snapshot.ts'

/** What a client sends for an upload, or for a part of it: bytes that stand in no other object. */
export function contentOf(upload: string, length: number, mime_type: string | undefined): Uint8Array {
  if (mime_type === 'image/png' && length === png.length) return png
  const unique = [...upload].reverse().join('')
  return new TextEncoder().encode(unique.repeat(Math.ceil(length / unique.length)).slice(0, length))
}

/** Whether a text is what a client has sent for the upload whose content the file has. */
export function isUploaded(file_id: string, text: string, snapshot: Snapshot): boolean {
  const object_key = snapshot.get('files')?.get(file_id)?.object_key
  if (typeof object_key !== 'string') return false
  return new TextDecoder().decode(contentOf(object_key, text.length, undefined)) === text
}

/** The objects that a row of a file or a version leads to. */
export function servedObjects(snapshot: Snapshot): string[] {
  const rows = [...rowsOf(snapshot, 'files'), ...rowsOf(snapshot, 'asset_versions')]
  return [...new Set(rows.flatMap(({ object_key }) => (object_key === null ? [] : [String(object_key)])))]
}

/**
 * What an object that is served holds and its client did not send, or that was not signed; undefined when there is
 * nothing. Its key is the id of its upload, unless one request brought it for the file that has it.
 */
export async function foreignIn(
  object_key: string,
  snapshot: Snapshot,
  sent: SentContents,
): Promise<string | undefined> {
  const object = await env.BUCKET.get(object_key)
  if (!object) return undefined
  const bytes = new Uint8Array(await object.arrayBuffer())
  const { contentType, contentDisposition, cacheControl, ...others } = object.httpMetadata ?? {}
  const file = rowsOf(snapshot, 'files').find((row) => row.object_key === object_key)?.id
  const isOfRequest = object.customMetadata?.upload === undefined
  const own = contentOf(object_key, bytes.length, contentType)
  const isOwn = isOfRequest
    ? sent.hasBytes(String(file), bytes, contentType)
    : bytes.every((byte, index) => byte === own[index])
  if (!isOwn) return 'bytes that its client did not send'
  const foreign = Object.entries(others).find(([, value]) => value !== undefined)
  // Which a browser's fetch adds.
  if (cacheControl !== undefined && (isOfRequest || !['no-cache', 'max-age=0'].includes(cacheControl)))
    return `Cache-Control ${cacheControl}`
  if (foreign) return `a header that was not signed: ${foreign.join(' ')}`
  if (!/^(inline|attachment)(;|$)/.test(contentDisposition ?? '')) return 'another Content-Disposition'
  const metadata = JSON.stringify(object.customMetadata)
  const expected = isOfRequest ? { file } : { upload: object_key }
  return metadata === JSON.stringify(expected) ? undefined : `other metadata: ${metadata}`
}
