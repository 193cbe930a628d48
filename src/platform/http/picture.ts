import type { Context } from 'hono'
import type { AppEnv, PublicContext } from '../context.ts'
import { inertContent } from '../lib/inert-content.ts'
import { type CacheTag, MAX_AGE, tagHeader } from '../pictures/edge-cache.ts'
import { pictureTypes } from '../pictures/formats.ts'
import { askStorage } from '../storage/bucket.ts'
import { isNamed } from './entity-tags.ts'
import { unknownPath } from './problem.ts'

/** A picture that whoever has the URL may see. Its object never changes. */
export interface ShownPicture {
  object_key: string
  mime_type: string | null
  size_bytes: number
  /** The tags under which caches keep it for everybody; null for a picture that not everybody may see. */
  tags: readonly CacheTag[] | null
}

/** The answers of a route that sends pictures of these types. */
export function pictureAnswers(noun: string, types: readonly string[]) {
  const headers = { ETag: { description: 'For If-None-Match', schema: { type: 'string' } } } as const
  const schema = { type: 'string', format: 'binary' } as const
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return {
    200: { description: `The ${noun}`, headers, content },
    304: { description: `The client has the ${noun}: If-None-Match names it`, headers },
  }
}

/**
 * The response with a picture. Pages of any origin may show it and read its pixels, and no browser takes it for anything
 * but a picture. It costs no call to R2 when the client has the picture already, or asks for the headers only.
 *
 * @throws NOT_FOUND, with the body of an unknown path, without a picture; UNAVAILABLE
 */
export async function sendPicture(
  c: Context<AppEnv>,
  { bucket, config }: PublicContext,
  picture: ShownPicture | undefined,
): Promise<Response> {
  const type = pictureTypes.find((known) => known === picture?.mime_type)
  if (!picture || !type) throw unknownPath()
  const headers = {
    ...(await cachingOf(picture, c.req.url)),
    ...headersOfAll,
    ETag: `"${picture.object_key}"`,
  }
  // The answer is the same for every origin.
  c.header('Vary', undefined)
  if (isNamed(picture.object_key, c.req.header('If-None-Match'))) return c.body(null, 304, headers)
  const ofContent = { ...headers, 'Content-Type': type, 'Content-Length': String(picture.size_bytes) }
  if (c.req.method === 'HEAD') return c.body(null, 200, ofContent)
  const object = await askStorage(config, bucket.get(picture.object_key))
  if (!object) throw unknownPath()
  return c.body(object.body, 200, ofContent)
}

/**
 * How caches may keep a picture. Shared ones keep it at one URL, without a query, which may be a signature, and without an escape,
 * which only gives the same path another spelling. Without `must-revalidate`, the cache in front of the Worker would show a picture
 * past its age while the Worker fails.
 */
async function cachingOf({ tags }: ShownPicture, url: string): Promise<Record<string, string>> {
  if (tags === null || /[?%]/.test(url)) return { 'Cache-Control': `private, max-age=${MAX_AGE}` }
  return {
    'Cache-Control': `public, max-age=${MAX_AGE}, must-revalidate`,
    'Cache-Tag': await tagHeader(tags),
  }
}

const headersOfAll = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  ...inertContent,
}
