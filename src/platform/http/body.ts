import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { compareNumber, LosslessNumber, parse } from 'lossless-json'
import type { Config } from '../config/variables.ts'
import type { AppEnv, ReceivedBytes } from '../context.ts'
import { ApiError } from '../errors.ts'
import { base64 } from '../lib/base64.ts'
import { KIB } from '../lib/byte-units.ts'
import { sha256In } from './content-digest.ts'
import { MAX_LEVELS, TOO_DEEP } from './game-data.ts'

/**
 * Returns a reader of bodies of at most `maxSize` bytes, which throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE or VALIDATION_FAILED.
 * `c.req.arrayBuffer()` returns the same bytes. A client that goes away before its body is whole causes no INTERNAL, whose log
 * would be an alarm.
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

/** Rejects a compressed body (RFC 9110 §15.5.16): the service would keep it as it is, without the header that tells what it is. */
function rejectContentCoding(header = ''): void {
  if (header.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()))) return
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
    detail: 'Send the body itself, without a Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  })
}

/** Rejects a body that is larger than `max_kib`, whose content type is not JSON, or that is not valid JSON. */
function jsonBodyUpTo(max_kib: number) {
  const read = bodyReader(max_kib * KIB, `A request body may be at most ${max_kib} KiB.`)
  return createMiddleware(async (c, next) => {
    const bytes = await read(c)
    const contentType = c.req.header('Content-Type')
    if (bytes.byteLength === 0) {
      if (contentType !== undefined) c.req.raw = withContentType(c.req.raw, undefined)
    } else {
      const parsed = parseJson(contentType ?? '', bytes)
      // Hono would parse the text again, and round integers that would come back with other digits.
      Object.defineProperty(c.req, 'json', { value: async () => parsed })
      if (contentType !== 'application/json') c.req.raw = withContentType(c.req.raw, 'application/json')
    }
    await next()
  })
}

/**
 * Takes a JSON body of up to 64 KiB. An empty body counts as `{}`, whatever the content type.
 *
 * @throws BODY_TOO_LARGE, VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON
 */
export const jsonBody = jsonBodyUpTo(64)

/** As `jsonBody`, up to 1 MiB: an upload may have 10,000 parts, each with an ETag. */
export const longJsonBody = jsonBodyUpTo(1_024)

/**
 * Takes a body of bytes, of at most as many as the configuration allows, and compares them with `Content-Digest`. Every route whose
 * body is bytes has it. `receivedBytes` returns what arrived.
 *
 * @throws BODY_TOO_LARGE, VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, UPLOAD_MISMATCH
 */
export function bytesBody(maxOf: (config: Config) => number) {
  return createMiddleware<AppEnv>(async (c, next) => {
    rejectPiece(c)
    const header = c.req.header('Content-Digest')
    const declared = header === undefined ? undefined : sha256In(header)
    const maxSize = maxOf(c.get('config'))
    const bytes = await bodyReader(maxSize, `The content may have at most ${maxSize} bytes here.`)(c)
    const digest = await crypto.subtle.digest('SHA-256', bytes)
    const checksum_sha256 = base64(digest)
    if (declared !== undefined && declared !== checksum_sha256)
      throw new ApiError('UPLOAD_MISMATCH', { detail: `The SHA-256 of what arrived is ${checksum_sha256}.` })
    c.set('received', { bytes, digest, checksum_sha256, is_declared: declared !== undefined })
    await next()
  })
}

/** The bytes that `bytesBody` has taken. */
export function receivedBytes(c: Context<AppEnv>): ReceivedBytes {
  const received = c.get('received')
  if (received) return received
  throw new Error('The route has no bytesBody.')
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

/** Copies a request without its body. The copy has the given content type, or none. */
function withContentType({ url, method, headers: sent }: Request, contentType: string | undefined): Request {
  const headers = new Headers(sent)
  if (contentType === undefined) headers.delete('Content-Type')
  else headers.set('Content-Type', contentType)
  return new Request(url, { method, headers })
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
