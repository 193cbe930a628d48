import { NetworkError, StorageError, unreachableStorage } from '../errors.ts'
import type { ClientOptions } from '../options.ts'
import { abortReason } from '../retry.ts'
import type { Piece, Source } from './content.ts'
import { putByFetch, putByXhr, xhrClass } from './send.ts'

/** Whether a transfer failed in a way that a repetition may mend. */
export function isLost(error: unknown): boolean {
  return error instanceof StorageError || error instanceof NetworkError
}

/** A signed URL, and the headers that its signature requires. */
export interface Target {
  url: string
  headers: Record<string, string>
}

export interface PutOptions {
  /** Replaces the global `fetch` and `XMLHttpRequest`. */
  fetch: ClientOptions['fetch']
  /** The PUT is aborted after this long without progress, where the runtime reports progress. */
  stallMs: number
  /** Called with the number of bytes sent so far, as often as the runtime reports. */
  onSent: (bytes: number) => void
  signal: AbortSignal
}

/**
 * Sends the content from `start` to before `end` to a signed URL. Returns the ETag of the answer.
 *
 * @throws StorageError when storage rejects the content, NetworkError when no answer arrives, ContentChangedError
 */
export async function put(
  target: Target,
  content: Source,
  [start, end]: readonly [start: number, end: number],
  options: PutOptions,
): Promise<string> {
  const piece = await content.slice(start, end)
  // Also after a failure: runtimes take content that they can't read for a network that fails.
  return putPiece(target, piece, options).finally(() =>
    options.signal.aborted ? undefined : content.check(),
  )
}

async function putPiece(target: Target, piece: Piece, options: PutOptions): Promise<string> {
  const { signal, stallMs } = options
  const ended = new AbortController()
  const abort = () => ended.abort()
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const onSent = (bytes: number) => {
    if (isOver) return // a runtime may go on reading the content after its request was aborted
    if (timer !== undefined) clearTimeout(timer)
    timer = setTimeout(abort, stallMs)
    options.onSent(bytes)
  }
  // Browsers compute Content-Length, and forbid scripts to set it.
  const headers = Object.entries(target.headers).filter(([name]) => name.toLowerCase() !== 'content-length')
  const sending = { url: target.url, headers, piece, onSent, signal: ended.signal }
  try {
    const Xhr = options.fetch === undefined ? xhrClass() : undefined
    const answer = await (Xhr ? putByXhr(sending, Xhr) : putByFetch(sending, options.fetch))
    if (answer.status !== 200) throw new StorageError(answer)
    return answer.etag
  } catch (error) {
    if (error instanceof StorageError) throw error
    if (signal.aborted) throw abortReason(signal)
    if (ended.signal.aborted) throw new NetworkError(`Nothing could be sent for ${stallMs} ms.`)
    throw new NetworkError(unreachableStorage(target.url), { cause: error })
  } finally {
    isOver = true
    if (timer !== undefined) clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}
