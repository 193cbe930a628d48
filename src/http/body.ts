import { bodyLimit } from 'hono/body-limit'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { parse } from 'lossless-json'
import { ApiError } from '../errors.ts'
import { KIB } from '../lib/byte-units.ts'

/** Refuses a body that is larger than `max_kib`, is not JSON by its content type, or is not JSON by its content. */
const jsonBodyUpTo = (max_kib: number) =>
  every(
    bodyLimit({
      maxSize: max_kib * KIB,
      onError: () => {
        throw new ApiError('BODY_TOO_LARGE', { detail: `A request body may be at most ${max_kib} KiB.` })
      },
    }),
    createMiddleware(async (c, next) => {
      const bytes = await c.req.arrayBuffer()
      if (bytes.byteLength > 0) refuseOther(c.req.header('Content-Type') ?? '', bytes)
      else c.req.bodyCache = {}
      c.req.raw = plainly(c.req.raw, bytes)
      await next()
    }),
  )

/** Takes a JSON body of up to 64 KiB. No body at all counts as `{}`, whatever the content type says. */
export const jsonBody = jsonBodyUpTo(64)

/** As `jsonBody`, up to 1 MiB: what 10,000 parts with their ETags need. */
export const longJsonBody = jsonBodyUpTo(1_024)

/** The request as what follows understands it: plain JSON, however its type was spelt, or no body and no type. */
function plainly({ url, method, headers: sent }: Request, bytes: ArrayBuffer): Request {
  const headers = new Headers(sent)
  if (bytes.byteLength > 0) headers.set('Content-Type', 'application/json')
  else headers.delete('Content-Type')
  return new Request(url, { method, headers, body: bytes.byteLength > 0 ? bytes : null })
}

function refuseOther(contentType: string, bytes: ArrayBuffer): void {
  if (!/^application\/([\w.-]+\+)?json *(;|$)/i.test(contentType))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send "Content-Type: application/json".' })
  refuseMalformed(bytes)
}

/**
 * Stricter than JSON.parse (RFC 8259 §8.1, RFC 7493 §2.3): the bytes must be UTF-8, and a name that stands twice
 * in an object with different values is refused, since two readers could understand two things.
 */
function refuseMalformed(bytes: ArrayBuffer): void {
  try {
    parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes), null, {
      parseNumber: Number,
    })
  } catch (error) {
    const detail = error instanceof SyntaxError ? `${error.message}.` : 'The body is not JSON in UTF-8.'
    throw new ApiError('MALFORMED_JSON', { detail: detail.slice(0, 200) })
  }
}
