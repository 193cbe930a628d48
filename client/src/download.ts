import type { ContentOperations } from './content.ts'
import { NetworkError, ServiceError, unreachableStorage } from './errors.ts'
import type { Operations } from './operations.ts'
import type { RequestOptions } from './options.ts'
import { abortReason, backoffDelay, withRetries } from './retry.ts'
import type { Transport } from './transport.ts'
import { ONE_REQUEST_BYTES } from './upload/one-request.ts'
import { isLost, StorageError } from './upload/put.ts'

/** A file, a file that is shared with the user, or a version of a game asset. */
export type Downloadable =
  | {
      file_id: string
      /** The size in the file's record. With it, small content comes in one request, in place of two. */
      size_bytes?: number | undefined
    }
  | { share_id: string }
  | { asset_id: string; version: number }

export interface DownloadOptions extends RequestOptions {
  /** Downloads only the bytes from `start` up to, not including, `end`; without `end`, up to the last. */
  range?: { start: number; end?: number | undefined } | undefined
}

/** The type of `client.download`. */
export type Download = (what: Downloadable, options?: DownloadOptions) => Promise<Response>

/** Makes `client.download`. */
export function downloader(transport: Transport, operations: Operations & ContentOperations): Download {
  /** The content of a file in one request; undefined when that takes a signed URL. */
  const inOneRequest = async (what: Downloadable, options: RequestOptions) => {
    if (!('file_id' in what) || what.size_bytes === undefined || what.size_bytes > ONE_REQUEST_BYTES)
      return undefined
    return operations.getContent({ id: what.file_id }, options).catch((error: unknown) => {
      // The file has grown since, the deployment has a lower limit, or its service is older than the operation.
      const isTooLarge =
        error instanceof ServiceError && ['CONTENT_TOO_LARGE', 'NOT_FOUND'].includes(error.code)
      if (!isTooLarge) throw error
      return undefined
    })
  }
  const signedUrl = (what: Downloadable, options: RequestOptions) => {
    if ('file_id' in what) return operations.getDownloadUrl({ id: what.file_id }, options)
    if ('share_id' in what) return operations.getSharedUrl({ id: what.share_id }, options)
    return operations.getVersionUrl({ id: what.asset_id, version: what.version }, options)
  }

  return async (what, { signal, range } = {}) => {
    const small = range ? undefined : await inOneRequest(what, { signal })
    if (small) return small
    const headers = new Headers()
    if (range) headers.set('Range', `bytes=${range.start}-${range.end === undefined ? '' : range.end - 1}`)
    const attempt = async () => {
      const { url } = await signedUrl(what, { signal })
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
}
