import { EtagStrippedError, NetworkError } from './errors.ts'

/** An answer with the ETag of the item, which `ifMatch` takes. */
export type WithEtag<Body> = Body & {
  /** The ETag of the item: the option `ifMatch` of a later change. */
  etag: string
}

/** An answer with the number of the inbox's latest change. */
export type WithSeq<Body> = Body & {
  /** The number of the latest change of the inbox when the answer was made. */
  seq: number
}

export async function bodyOf<Body>(request: Promise<Response>): Promise<Body> {
  return read(await request)
}

/** The body, and the ETag of the item, which `ifMatch` takes. @throws EtagStrippedError */
export async function bodyWithEtag<Body extends object>(request: Promise<Response>): Promise<WithEtag<Body>> {
  const response = await request
  const body = await read<Body>(response)
  const etag = response.headers.get('ETag')
  if (!etag) throw new EtagStrippedError()
  return { ...body, etag }
}

/** The body, and the `seq` of the inbox when the answer was made. */
export async function bodyWithSeq<Body extends object>(request: Promise<Response>): Promise<WithSeq<Body>> {
  const response = await request
  const body = await read<Body>(response)
  return { ...body, seq: Number(response.headers.get('X-Inbox-Seq')) }
}

/** Waits for an answer without a body. */
export async function done(request: Promise<Response>): Promise<void> {
  await request
}

/** The JSON of an answer, as the API describes it. The transport has seen that it is the service's. */
async function read<Body>(response: Response): Promise<Body> {
  const text = await response.text()
  if (text === '') throw new NetworkError('The answer has no body.')
  return JSON.parse(text)
}
