/** The content that the demo sends and receives. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { openAsBlob, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { SeekableContent } from '#client'

export interface Content extends SeekableContent {
  readonly name: string
  readonly type: string
}

const mimeTypes: Record<string, string> = {
  '.avif': 'image/avif',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.zip': 'application/zip',
}

const MIB = 1024 ** 2
const AES_BLOCK = 16

/** Random bytes, generated from a key each time they are read (AES in counter mode), so that they are never all in memory. */
export function randomContent(name = 'level-1.bin', size = 8 * MIB): Content {
  const key = randomBytes(32)
  const slice = (start: number, end: number) => {
    const first = Math.floor(start / AES_BLOCK)
    const counter = Buffer.alloc(AES_BLOCK)
    counter.writeBigUInt64BE(BigInt(first), AES_BLOCK / 2)
    const skipped = start - first * AES_BLOCK
    const cipher = createCipheriv('aes-256-ctr', key, counter)
    return cipher.update(Buffer.alloc(skipped + end - start)).subarray(skipped)
  }
  return { name, type: 'application/octet-stream', size, slice }
}

/**
 * A file of the user. It is read piece by piece, so it may have any size.
 *
 * @throws Error with a message for the user when the file cannot be sent
 */
export async function contentOf(path: string): Promise<Content> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new Error(`There is no file "${path}".`)
  if (!stat.isFile()) throw new Error(`"${path}" is ${stat.isDirectory() ? 'a folder' : 'not a file'}.`)
  const type = mimeTypes[extname(path).toLowerCase()] ?? 'application/octet-stream'
  const blob = await openAsBlob(path, { type }).catch((error: Error) => {
    throw new Error(`"${path}" may not be read: ${error.message}`)
  })
  return { name: basename(path), type, size: blob.size, slice: (start, end) => blob.slice(start, end) }
}

/** The SHA-256 of the bytes from `start` to before `end`. */
export async function sha256(content: Content, start = 0, end = content.size): Promise<Buffer> {
  const hash = createHash('sha256')
  for (let at = start; at < end; at += MIB) {
    const piece = await content.slice(at, Math.min(end, at + MIB))
    hash.update(piece instanceof Blob ? new Uint8Array(await piece.arrayBuffer()) : piece)
  }
  return hash.digest()
}

/** What has been downloaded. */
export interface Received {
  headers: Headers
  size_bytes: number
  sha256: Buffer
}

/** Hashes a download while it arrives, so that nothing has to fit into memory. */
export async function receive(response: Response): Promise<Received> {
  const hash = createHash('sha256')
  let size_bytes = 0
  for await (const chunk of response.body ?? []) {
    hash.update(chunk)
    size_bytes += chunk.length
  }
  return { headers: response.headers, size_bytes, sha256: hash.digest() }
}

/** @throws Error when what was downloaded is not what was sent, by length and SHA-256 */
export function requireSame(received: Received, size_bytes: number, digest: Buffer): void {
  if (received.size_bytes !== size_bytes || !received.sha256.equals(digest))
    throw new Error(
      `The download differs from what was sent: ${size_bytes} bytes with SHA-256 ${digest.toString('hex')}.`,
    )
}
