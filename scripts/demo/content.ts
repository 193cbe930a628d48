/** The content that the demo sends. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { Readable } from 'node:stream'

export interface Content {
  name: string
  mime_type: string
  size_bytes: number
  /** The bytes from `start` up to but without `end`; all of them by default. */
  read: (start?: number, end?: number) => Readable
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
const BLOCK = MIB

/**
 * Random bytes, generated from a key each time they are read (blocks of AES in counter mode), so that content of any size
 * needs no memory.
 */
export function randomContent(name = 'level-1.bin', size_bytes = 8 * MIB): Content {
  const key = randomBytes(32)
  const zeros = Buffer.alloc(BLOCK)
  const block = (number: number) => {
    const counter = Buffer.alloc(16)
    counter.writeUInt32BE(number)
    return createCipheriv('aes-256-ctr', key, counter).update(zeros)
  }
  const pieces = function* (start: number, end: number) {
    for (let at = start; at < end; at += BLOCK - (at % BLOCK)) {
      const first = at - (at % BLOCK)
      yield block(first / BLOCK).subarray(at - first, Math.min(end - first, BLOCK))
    }
  }
  return {
    name,
    mime_type: 'application/octet-stream',
    size_bytes,
    read: (start = 0, end = size_bytes) => Readable.from(pieces(start, end)),
  }
}

/**
 * A file of the user. It is streamed, so it may have any size.
 *
 * @throws Error with a message for the user when the file cannot be sent
 */
export function contentOf(path: string): Content {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new Error(`There is no file "${path}".`)
  if (!stat.isFile()) throw new Error(`"${path}" is ${stat.isDirectory() ? 'a folder' : 'not a file'}.`)
  try {
    accessSync(path, constants.R_OK)
  } catch {
    throw new Error(`"${path}" may not be read.`)
  }
  return {
    name: basename(path),
    mime_type: mimeTypes[extname(path).toLowerCase()] ?? 'application/octet-stream',
    size_bytes: stat.size,
    // `end` of a read stream is the last byte to read. Empty content has none.
    read: (start = 0, end = stat.size) =>
      end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]),
  }
}

/** The SHA-256 of a stream. */
export async function sha256(stream: Readable): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest()
}

/** The SHA-256 of content, as uploads declare it. */
export async function checksum(content: Content): Promise<string> {
  return (await sha256(content.read())).toString('base64')
}
