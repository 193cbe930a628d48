import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compareNumber, LosslessNumber, parse } from 'lossless-json'
import type { Config } from '../config/variables.ts'
import type { AppEnv, ReceivedBytes } from '../context.ts'
import { ApiError } from '../errors.ts'
import { base64 } from '../lib/text.ts'
import { KIB } from '../lib/units.ts'
import { MAX_LEVELS, TOO_DEEP } from './game-data.ts'

/**
 * Returns a reader of bodies of at most `maxSize` bytes, which throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE or
 * VALIDATION_FAILED. `c.req.arrayBuffer()` returns the same bytes. A client that disconnects before the end of its body does not
 * cause an INTERNAL, which would raise an alarm in the log.
 */
function bodyReader(maxSize: number, tooLarge: string): (c: Context) => Promise<ArrayBuffer> {
  const limit = bodyLimit({
    maxSize,
    onError: () => {
      throw new ApiError('BODY_TOO_LARGE', { detail: tooLarge })
    },
  })
  return async (c) => {
    rejectContentCoding(c.req.header('Content-Encoding'))
    try {
      await limit(c, async () => {
        await c.req.arrayBuffer()
      })
    } catch (error) {
      if (error instanceof ApiError) throw error
      const message = 'ended before it was whole.'
      throw new ApiError('VALIDATION_FAILED', {
        detail: `The body ${message}`,
        errors: [{ in: 'body', path: '', message }],
      })
    }
    return c.req.arrayBuffer()
  }
}

/** Rejects a compressed body (RFC 9110 §15.5.16): the service would store it without its Content-Encoding. */
function rejectContentCoding(header = ''): void {
  if (header.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()))) return
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
    detail: 'Send the body itself, without a Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  })
}

/**
 * Returns a reader of JSON bodies of up to `max_kib`. An empty body counts as `{}`, whatever the content type. The reader throws
 * BODY_TOO_LARGE, VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE or MALFORMED_JSON.
 */
export function jsonReader(max_kib: number): (c: Context) => Promise<unknown> {
  const read = bodyReader(max_kib * KIB, `A request body may be at most ${max_kib} KiB.`)
  return async (c) => {
    const bytes = await read(c)
    return bytes.byteLength === 0 ? {} : parseJson(c.req.header('Content-Type') ?? '', bytes)
  }
}

/** A body of bytes, of at most as many as the configuration allows. `mime_type` is what `typeOf` makes of its Content-Type. */
export class BytesBody<Type = undefined> {
  readonly maxOf: (config: Config) => number
  readonly typeOf: ((contentType: string | undefined) => Type) | undefined

  constructor(maxOf: (config: Config) => number, typeOf?: (contentType: string | undefined) => Type) {
    this.maxOf = maxOf
    this.typeOf = typeOf
  }

  /**
   * Takes the bytes, and compares them with `Content-Digest`.
   *
   * @throws BODY_TOO_LARGE, VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, UPLOAD_MISMATCH
   */
  async read(c: Context<AppEnv>): Promise<() => ReceivedBytes & { mime_type: Type | undefined }> {
    rejectPiece(c)
    const header = c.req.header('Content-Digest')
    const declared = header === undefined ? undefined : sha256In(header)
    const maxSize = this.maxOf(c.get('config'))
    const bytes = await bodyReader(maxSize, `The content may have at most ${maxSize} bytes here.`)(c)
    const digest = await crypto.subtle.digest('SHA-256', bytes)
    const checksum_sha256 = base64(digest)
    if (declared !== undefined && declared !== checksum_sha256)
      throw new ApiError('UPLOAD_MISMATCH', { detail: `The SHA-256 of what arrived is ${checksum_sha256}.` })
    const received = { bytes, digest, checksum_sha256, is_declared: declared !== undefined }
    return () => ({ ...received, mime_type: this.typeOf?.(c.req.header('Content-Type')) })
  }
}

const MEMBER = '[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:'
const DIGESTS = new RegExp(`^ *${MEMBER}(?:[ \\t]*,[ \\t]*${MEMBER})* *$`)

/** A SHA-256 in base64. */
const SHA_256 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/** `Content-Digest` (RFC 9530) in the description. `BytesBody` compares it. */
export const ContentDigest = z.object({
  'content-digest': z
    .string()
    .optional()
    .openapi({
      param: { in: 'header' },
      description:
        'The SHA-256 of the body, like `sha-256=:BASE64:`. Only these bytes are taken: always send one. Other algorithms are ignored.',
    }),
})

/**
 * The SHA-256 of a Content-Digest in base64 (RFC 9530 §2): a dictionary of byte sequences (RFC 9651 §3.2), without parameters,
 * which no algorithm has. The last member of a name counts. Algorithms other than sha-256 are ignored.
 *
 * @throws VALIDATION_FAILED
 */
function sha256In(header: string): string | undefined {
  if (!DIGESTS.test(header)) throw digestError('must be like sha-256=:BASE64:')
  const members = header.split(',').map((member) => member.trim())
  const own = members.filter((member) => member.startsWith('sha-256=')).at(-1)
  const sha256 = own?.slice('sha-256=:'.length, -1)
  if (sha256 !== undefined && !SHA_256.test(sha256)) throw digestError('sha-256 must be 32 bytes in base64')
  return sha256
}

function digestError(message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: `Content-Digest: ${message}.`,
    errors: [{ in: 'header', path: '/content-digest', message: `${message}.` }],
  })
}

/** Rejects a body that would be taken for the whole content and is not: a range of it (RFC 9110 §14.5), or a form around it. */
function rejectPiece(c: Context): void {
  if (c.req.header('Content-Range') !== undefined) {
    const message = 'must not be sent: the body is the whole content.'
    throw new ApiError('VALIDATION_FAILED', {
      detail: `Content-Range ${message}`,
      errors: [{ in: 'header', path: '/content-range', message }],
    })
  }
  if (/^\s*multipart\/form-data\b/i.test(c.req.header('Content-Type') ?? ''))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      detail: 'Send the content itself as the body, not in a form.',
    })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses a body, more strictly than JSON.parse (RFC 8259 §8.1, RFC 7493 §2.3): the bytes must be UTF-8, and an object must
 * not repeat a member with another value, because parsers differ in which value they keep. An integer that would come back as
 * another one is a LosslessNumber, which no schema takes.
 */
function parseJson(contentType: string, bytes: ArrayBuffer): unknown {
  if (!/^application\/([\w.-]+\+)?json *(;|$)/i.test(contentType))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send "Content-Type: application/json".' })
  try {
    const text = utf8.decode(bytes)
    // The parser calls itself for each level.
    if (!isNestedDeeper(text, 1 + MAX_LEVELS)) return parse(text, null, { parseNumber })
  } catch (error) {
    const detail = error instanceof SyntaxError ? `${error.message}.` : 'The body is not JSON in UTF-8.'
    throw new ApiError('MALFORMED_JSON', { detail: detail.slice(0, 200) })
  }
  throw new ApiError('VALIDATION_FAILED', {
    detail: `The body: ${TOO_DEEP}.`,
    errors: [{ in: 'body', path: '', message: `${TOO_DEEP}.` }],
  })
}

/** Whether brackets in a text are nested in more levels than these. */
function isNestedDeeper(text: string, levels: number): boolean {
  let level = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '"') isString = !isString
    else if (isString) continue
    else if (character === '{' || character === '[') level++
    else if (character === '}' || character === ']') level--
    if (level > levels) return true
  }
  return false
}

/** The number; as it is written when it is an integer that an answer would have with other digits, or is beyond all doubles. */
function parseNumber(digits: string): number | LosslessNumber {
  const value = Number(digits)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  if (Number.isFinite(value) && compareNumber(digits, String(value)) === 0) return value
  return new LosslessNumber(digits)
}
