import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { parse } from 'lossless-json'
import type { Config } from '../config/variables.ts'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'
import { KIB } from '../lib/byte-units.ts'

/**
 * Returns a reader of bodies of at most `maxSize` bytes, which throws BODY_TOO_LARGE or VALIDATION_FAILED.
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

/** Rejects a body that is larger than `max_kib`, whose content type is not JSON, or that is not valid JSON. */
function jsonBodyUpTo(max_kib: number) {
  const read = bodyReader(max_kib * KIB, `A request body may be at most ${max_kib} KiB.`)
  return createMiddleware(async (c, next) => {
    const bytes = await read(c)
    const contentType = c.req.header('Content-Type')
    if (bytes.byteLength === 0) {
      if (contentType !== undefined) c.req.raw = withContentType(c.req.raw, undefined)
    } else {
      // Without this, Hono would wrap the bytes in a Response and parse them again.
      c.req.bodyCache.json = Promise.resolve(parseJson(contentType ?? '', bytes))
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
 * Takes a body of bytes, of at most as many as the configuration allows. `c.req.arrayBuffer()` returns the bytes.
 *
 * @throws BODY_TOO_LARGE, VALIDATION_FAILED
 */
export function bytesBody(maxOf: (config: Config) => number) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const maxSize = maxOf(c.get('config'))
    await bodyReader(maxSize, `The content may have at most ${maxSize} bytes here.`)(c)
    await next()
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
 * not repeat a member with another value, because parsers differ in which value they keep.
 */
function parseJson(contentType: string, bytes: ArrayBuffer): unknown {
  if (!/^application\/([\w.-]+\+)?json *(;|$)/i.test(contentType))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send "Content-Type: application/json".' })
  try {
    const text = utf8.decode(bytes)
    parse(text, null, { parseNumber: Number })
    return JSON.parse(text)
  } catch (error) {
    const detail = error instanceof SyntaxError ? `${error.message}.` : 'The body is not JSON in UTF-8.'
    throw new ApiError('MALFORMED_JSON', { detail: detail.slice(0, 200) })
  }
}
