import { sha256 } from '@noble/hashes/sha2.js'
import { type BytesSource, bytesOf, viewOf } from '../bytes.ts'
import { ContentChangedError } from '../errors.ts'
import { abortReason } from '../retry.ts'
import type { Bytes } from '../transport.ts'

/**
 * Content whose pieces can be read repeatedly: a `Blob` or `File`, also one of `openAsBlob` (`node:fs`), which reads from
 * disk; or an object of your own.
 */
export interface SeekableContent {
  /** In bytes. Read again for each piece: content that has another size or time than before has changed. */
  readonly size: number
  /** When the content was last changed. */
  readonly lastModified?: number
  /** The bytes from `start` to before `end`. */
  slice(start: number, end: number): Piece | Promise<Piece>
  readonly type?: string
  readonly name?: string
}

export type Piece = Blob | Uint8Array

/** Content that `files.upload` and `assets.upload` accept. */
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

/** Content that is the same as long as it is sent: otherwise `slice` and `check` throw a ContentChangedError. */
export interface Source extends SeekableContent {
  slice(start: number, end: number): Promise<Piece>
  /** Also throws when the content can no longer be read. */
  check(): Promise<void>
}

export function sourceOf(content: SeekableContent): Source {
  const { size, lastModified, type, name } = content
  const slice = async (start: number, end: number) => {
    const piece = await content.slice(start, end)
    const isSame = content.size === size && content.lastModified === lastModified
    if (!isSame || lengthOf(piece) !== end - start) throw new ContentChangedError()
    return piece
  }
  const check = async () => {
    await readPiece(await slice(0, Math.min(1, size)))
  }
  return { size, slice, check, ...(type !== undefined && { type }), ...(name !== undefined && { name }) }
}

export function lengthOf(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : piece.size
}

/** The bytes of a piece; the piece itself in a runtime that can't read a `Blob`, like React Native. */
async function readPiece(piece: Piece): Promise<Piece> {
  if (piece instanceof Uint8Array || !('arrayBuffer' in piece)) return piece
  try {
    return new Uint8Array(await piece.arrayBuffer())
  } catch (error) {
    throw new ContentChangedError(error)
  }
}

/** The type of the content: `given`, that of the content without its parameters, or that of any bytes. */
export function typeOf(content: SeekableContent, given: string | undefined): string {
  return given ?? (content.type?.split(';')[0] || 'application/octet-stream')
}

/** The whole content with its SHA-256 in base64, or without one in a runtime that can't read a `Blob`. */
export async function readWhole(content: Source): Promise<Omit<Bytes, 'mime_type'>> {
  const piece = await readPiece(await content.slice(0, content.size))
  if (!(piece instanceof Uint8Array)) return { content: piece }
  const bytes = piece.slice()
  return { content: bytes, sha256: base64(sha256(bytes)) }
}

const STEP_BYTES = 2 ** 20

/**
 * The SHA-256 of the content from `start` to before `end` in base64; undefined in a runtime that can't read a `Blob`, like React
 * Native. Reads in steps, so the content need not fit into memory.
 */
export async function checksumOf(
  content: Source,
  signal: AbortSignal | undefined,
  start = 0,
  end = content.size,
): Promise<string | undefined> {
  const hash = sha256.create()
  for (let at = start; at < end; at += STEP_BYTES) {
    if (signal?.aborted) throw abortReason(signal)
    const bytes = await readPiece(await content.slice(at, Math.min(end, at + STEP_BYTES)))
    if (!(bytes instanceof Uint8Array)) return undefined
    hash.update(bytes)
  }
  return base64(hash.digest())
}

/** Bytes in base64. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
