import { NetworkError, unreachableStorage } from '../errors.ts'
import type { ClientOptions } from '../options.ts'
import { abortReason } from '../retry.ts'
import type { Piece } from './content.ts'
import { type Answer, putByFetch, putByXhr, xhrClass } from './send.ts'

/** Storage refused content at a signed URL, each time that it was sent. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly status: number

  constructor({ status, text }: Pick<Answer, 'status' | 'text'>) {
    super(`Storage answered ${status}. ${/<Message>(.*?)<\/Message>/.exec(text)?.[1] ?? ''}`.trim())
    this.status = status
  }
}

/** Whether content was lost on its way, or refused, so that it is to be sent again. */
export function isLost(error: unknown): boolean {
  return error instanceof StorageError || error instanceof NetworkError
}

/** Where to send a piece of content, with exactly these headers. */
export interface Target {
  url: string
  headers: Record<string, string>
}

export interface PutOptions {
  /** Takes the place of the global `fetch`, and of `XMLHttpRequest`. */
  fetch: ClientOptions['fetch']
  /** After how many milliseconds without progress the PUT is given up, where progress is told. */
  stallMs: number
  /** Told how many bytes have been sent, as often as the runtime tells. */
  onSent: (bytes: number) => void
  signal: AbortSignal
}

/**
 * Sends a piece of content to a signed URL. Returns the ETag of the answer.
 *
 * @throws StorageError when storage refuses it, NetworkError when no answer arrives
 */
export async function put(target: Target, piece: Piece, options: PutOptions): Promise<string> {
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
  // The transport computes Content-Length, which browsers let no script set.
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
