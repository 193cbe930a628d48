import { NetworkError, StorageError, unreachableStorage } from './errors.ts'
import type { RequestOptions } from './options.ts'
import type { DownloadUrl } from './records.ts'
import { abortReason, backoffDelay, withRetries } from './retry.ts'
import type { Transport } from './transport.ts'
import { isLost } from './upload/put.ts'

export interface DownloadOptions extends RequestOptions {
  /** Downloads only the bytes from `start` up to, not including, `end`; without `end`, up to the last. */
  range?: { start: number; end?: number | undefined } | undefined
}

/** Downloads from a signed URL, and asks for another when that fails. @throws ServiceError, NetworkError, StorageError */
export async function download(
  transport: Transport,
  signedUrl: (options: RequestOptions) => Promise<DownloadUrl>,
  { signal, range }: DownloadOptions = {},
): Promise<Response> {
  const headers = new Headers()
  if (range) headers.set('Range', `bytes=${range.start}-${range.end === undefined ? '' : range.end - 1}`)
  const attempt = async () => {
    const { url } = await signedUrl({ signal })
    const request = new Request(url, { headers, signal: signal ?? null })
    const response = await (transport.ownFetch ?? fetch)(request).catch((cause: unknown) => {
      throw signal?.aborted ? abortReason(signal) : new NetworkError(unreachableStorage(url), { cause })
    })
    if (response.ok) return response
    throw new StorageError({ status: response.status, text: await response.text() })
  }
  let failures = 0
  const delayOf = (error: unknown) => {
    failures += 1
    return isLost(error) ? backoffDelay(transport.backoff, failures) : undefined
  }
  return withRetries(attempt, delayOf, signal)
}
