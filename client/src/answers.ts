import { EtagStrippedError, NetworkError } from './errors.ts'

/** A result of openapi-fetch. It has no `error`, because the transport throws instead. */
export type Answered<Body> = Promise<{ data?: Body; response: Response }>

export async function bodyOf<Body>(request: Answered<Body>): Promise<NonNullable<Body>> {
  return (await bodyAndHeaders(request)).data
}

/** The body, and the ETag of the item, which `ifMatch` takes. @throws EtagStrippedError */
export async function bodyWithEtag<Body extends object>(
  request: Answered<Body>,
): Promise<NonNullable<Body> & { etag: string }> {
  const { data, headers } = await bodyAndHeaders(request)
  const etag = headers.get('ETag')
  if (!etag) throw new EtagStrippedError()
  return { ...data, etag }
}

/** The body, and the `seq` of the inbox when the answer was made. */
export async function bodyWithSeq<Body extends object>(
  request: Answered<Body>,
): Promise<NonNullable<Body> & { seq: number }> {
  const { data, headers } = await bodyAndHeaders(request)
  return { ...data, seq: Number(headers.get('X-Inbox-Seq')) }
}

/** Waits for an answer without a body. */
export async function done(request: Promise<unknown>): Promise<void> {
  await request
}

async function bodyAndHeaders<Body>(
  request: Answered<Body>,
): Promise<{ data: NonNullable<Body>; headers: Headers }> {
  const { data, response } = await request
  if (data === undefined || data === null) throw new NetworkError('The answer has no body.')
  return { data, headers: response.headers }
}
