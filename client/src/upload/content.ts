import { sha256 } from '@noble/hashes/sha2.js'
import { type BytesSource, bytesOf, viewOf } from '../bytes.ts'
import { abortReason } from '../retry.ts'
import type { Bytes } from '../transport.ts'

/**
 * Content whose pieces can be read repeatedly: a `Blob` or `File`, also one of `openAsBlob` (`node:fs`), which reads from
 * disk; or an object of your own.
 */
export interface SeekableContent {
  /** In bytes. */
  readonly size: number
  /** The bytes from `start` to before `end`. */
  slice(start: number, end: number): Piece | Promise<Piece>
  readonly type?: string
  readonly name?: string
}

export type Piece = Blob | Uint8Array

/** Content that `client.upload` accepts. */
export type Content = SeekableContent | BytesSource

/** @throws TypeError when the content is none */
export function seekable(content: Content): SeekableContent {
  if (isSeekable(content)) return content
  const given = typeof content === 'string' ? bytesOf(content) : content
  if (isSeekable(given)) return given
  const bytes = viewOf(given)
  return {
    size: bytes.byteLength,
    slice: (start, end) => bytes.subarray(start, end),
  }
}

function isSeekable(content: unknown): content is SeekableContent {
  if (typeof content !== 'object' || content === null) return false
  return 'size' in content && typeof content.size === 'number' && 'slice' in content
}

/** The type of the content: `given`, that of the content without its parameters, or that of any bytes. */
export function typeOf(content: SeekableContent, given: string | undefined): string {
  return given ?? (content.type?.split(';')[0] || 'application/octet-stream')
}

/** The whole content with its SHA-256 in base64, or without one in a runtime that can't read a `Blob`. */
export async function readWhole(content: SeekableContent): Promise<Omit<Bytes, 'mime_type'>> {
  const piece = await content.slice(0, content.size)
  if (!(piece instanceof Uint8Array) && !isReadable(piece)) return { content: piece }
  const bytes = piece instanceof Uint8Array ? piece.slice() : new Uint8Array(await piece.arrayBuffer())
  return { content: bytes, sha256: base64(sha256(bytes)) }
}

const STEP_BYTES = 2 ** 20

/**
 * The SHA-256 of the content in base64; undefined in a runtime that can't read a `Blob`, like React Native. Reads in steps,
 * so the content need not fit into memory.
 */
export async function checksumOf(
  content: SeekableContent,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const hash = sha256.create()
  for (let start = 0; start < content.size; start += STEP_BYTES) {
    if (signal?.aborted) throw abortReason(signal)
    const piece = await content.slice(start, Math.min(content.size, start + STEP_BYTES))
    if (!(piece instanceof Uint8Array) && !isReadable(piece)) return undefined
    hash.update(piece instanceof Uint8Array ? piece : new Uint8Array(await piece.arrayBuffer()))
  }
  return base64(hash.digest())
}

/** Whether the runtime can read a `Blob`; React Native can't. */
function isReadable(blob: Blob): boolean {
  return 'arrayBuffer' in blob
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
