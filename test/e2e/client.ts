import { createCipheriv, createHash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import {
  type Client,
  type ClientOptions,
  createClient,
  type PartUrl as PartUrlRecord,
  SaveConflict,
  ServiceError,
  type UploadedPart,
} from '#client'

export const PartUrl = z.object({
  part_number: z.int(),
  url: z.string(),
  headers: z.object({ 'Content-Length': z.string() }).catchall(z.string()),
})
export type PartUrl = PartUrlRecord

/** An upload as a page has read it. */
export const Upload = z.object({
  id: z.string(),
  state: z.string(),
  size_bytes: z.int(),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  multipart: z.object({ part_size: z.int(), part_count: z.int() }).optional(),
  file: z.object({ id: z.string(), name: z.string() }).optional(),
})

/** A client that sends each request once, so that a test learns what the service answers to it. */
export function clientOf(baseUrl: string, token: string, fetch?: ClientOptions['fetch']): Client {
  return createClient({ baseUrl, token, retry: { attempts: 1 }, ...(fetch && { fetch }) })
}

/** What the service said when it refused a request. @throws any other error, and when the request was not refused */
export async function refusal(request: Promise<unknown>) {
  const error = await request.then(
    () => new Error('This was not refused.'),
    (reason: unknown) => reason,
  )
  const refused = error instanceof SaveConflict ? error.cause : error
  if (!(refused instanceof ServiceError)) throw error
  const { status, code, detail } = refused
  return { status, code, detail }
}

/** Sends some parts, one after another, and tells their ETags. */
export async function sendParts(
  client: Client,
  { id }: { id: string },
  part_numbers: number[],
): Promise<UploadedPart[]> {
  const sent: UploadedPart[] = []
  const { parts } = await client.uploads.presignParts({ id, part_numbers })
  for (const { part_number, url, headers } of parts) {
    const body = partOf(part_number, Number(headers['Content-Length']))
    const response = await fetch(url, { method: 'PUT', headers, body })
    if (response.status !== 200) throw new Error(`part ${part_number} → ${response.status}`)
    const checksum_sha256 = createHash('sha256').update(body).digest('base64')
    sent.push({ part_number, etag: response.headers.get('ETag') ?? '', checksum_sha256 })
  }
  return sent
}

/** Sends the content of an upload in one PUT, and tells the status of the answer. */
export async function sendWhole(upload: object, body: BodyInit): Promise<number> {
  const { url, headers } = z
    .object({ url: z.string(), headers: z.record(z.string(), z.string()) })
    .parse(upload)
  return (await fetch(url, { method: 'PUT', headers, body })).status
}

/** The content of a part, from a byte on: each number has bytes of its own, wherever and whenever they are made. */
export function partOf(part_number: number, length: number, from = 0): Buffer<ArrayBuffer> {
  const counter = Buffer.alloc(16)
  counter.writeUInt32BE(part_number)
  counter.writeUInt32BE(from / 16, 12) // AES has blocks of 16 bytes
  const bytes = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'key'), counter).update(Buffer.alloc(length))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The SHA-256 of the whole content, made part by part. */
export function digestOf(size_bytes: number, part_size: number): string {
  const hash = createHash('sha256')
  for (let at = 0; at < size_bytes; at += part_size)
    hash.update(partOf(at / part_size + 1, Math.min(part_size, size_bytes - at)))
  return hash.digest('hex')
}
