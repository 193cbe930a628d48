import { createCipheriv, createHash } from 'node:crypto'
import { z } from '@hono/zod-openapi'

const UploadedPart = z.object({ part_number: z.int(), etag: z.string() })
export type UploadedPart = z.output<typeof UploadedPart>

export const PartUrl = z.object({
  part_number: z.int(),
  url: z.string(),
  headers: z.object({ 'Content-Length': z.string() }).catchall(z.string()),
})
export type PartUrl = z.output<typeof PartUrl>

export const Upload = z.object({
  id: z.string(),
  state: z.string(),
  size_bytes: z.int(),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  multipart: z
    .object({ part_size: z.int(), part_count: z.int(), uploaded: z.array(UploadedPart).optional() })
    .optional(),
  file: z.object({ id: z.string(), name: z.string() }).optional(),
})
export type Upload = z.output<typeof Upload>

/** Somebody who is signed in on a device, which knows no more than this. */
export class Client {
  readonly #origin: string
  readonly #token: string

  constructor(origin: string, token: string) {
    this.#origin = origin
    this.#token = token
  }

  /** The answer to a request under /v1. */
  call(
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.#origin}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  }

  /** The body of the answer to a request that has to go well. */
  async made<Schema extends z.ZodType>(
    schema: Schema,
    ...request: Parameters<Client['call']>
  ): Promise<z.output<Schema>> {
    const response = await this.call(...request)
    const text = await response.text()
    if (!response.ok) throw new Error(`${request[0]} ${request[1]} → ${response.status} ${text}`)
    return schema.parse(JSON.parse(text))
  }

  start(declared: Record<string, unknown>, headers?: Record<string, string>): Promise<Upload> {
    const body = { mime_type: 'application/octet-stream', ...declared }
    return this.made(Upload, 'POST', '/uploads', body, headers)
  }

  async partUrls({ id }: Upload, part_numbers: number[]): Promise<PartUrl[]> {
    const schema = z.object({ parts: z.array(PartUrl) })
    return (await this.made(schema, 'POST', `/uploads/${id}/parts`, { part_numbers })).parts
  }

  /** Sends some parts, one after another, and tells their ETags. */
  async sendParts(upload: Upload, part_numbers: number[]): Promise<UploadedPart[]> {
    const sent: UploadedPart[] = []
    for (const { part_number, url, headers } of await this.partUrls(upload, part_numbers)) {
      const body = partOf(part_number, Number(headers['Content-Length']))
      const response = await fetch(url, { method: 'PUT', headers, body })
      if (response.status !== 200) throw new Error(`part ${part_number} → ${response.status}`)
      sent.push({ part_number, etag: response.headers.get('ETag') ?? '' })
    }
    return sent
  }

  async record({ id }: Upload, uploaded: UploadedPart[]): Promise<void> {
    await this.made(z.object({ parts: z.tuple([]) }), 'POST', `/uploads/${id}/parts`, { uploaded })
  }

  complete({ id }: Upload, json?: unknown, headers?: Record<string, string>): Promise<Response> {
    return this.call('POST', `/uploads/${id}/complete`, json, headers)
  }
}

/** The content of a part: each number has bytes of its own, wherever and whenever they are made. */
export function partOf(part_number: number, length: number): Buffer<ArrayBuffer> {
  const counter = Buffer.alloc(16)
  counter.writeUInt32BE(part_number)
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
