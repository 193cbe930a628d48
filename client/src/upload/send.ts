import type { ByteArray } from '../bytes.ts'
import type { ClientOptions } from '../options.ts'
import { lengthOf, type Piece } from './content.ts'

/** One PUT. */
export interface Sending {
  url: string
  headers: [name: string, value: string][]
  piece: Piece
  onSent: (bytes: number) => void
  signal: AbortSignal
}

export interface Answer {
  status: number
  etag: string
  text: string
}

/** The part of `XMLHttpRequest` that is used. Not every runtime has it. */
interface Xhr {
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob | ByteArray): void
  abort(): void
  getResponseHeader(name: string): string | null
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null }
  readonly status: number
  readonly responseText: string
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
}
declare const XMLHttpRequest: (new () => Xhr) | undefined
declare const navigator: { userAgent: string } | undefined

/** `XMLHttpRequest`, where the runtime has it: in browsers `fetch` reports no upload progress. */
export function xhrClass(): (new () => Xhr) | undefined {
  return typeof XMLHttpRequest === 'undefined' ? undefined : XMLHttpRequest
}

export function putByXhr(
  { url, headers, piece, onSent, signal }: Sending,
  Class: new () => Xhr,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const xhr = new Class()
    const abort = () => xhr.abort()
    const ended = () => signal.removeEventListener('abort', abort)
    xhr.open('PUT', url)
    for (const [name, value] of headers) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded)
    xhr.onload = () => {
      ended()
      resolve({ status: xhr.status, etag: xhr.getResponseHeader('ETag') ?? '', text: xhr.responseText })
    }
    xhr.onerror = xhr.onabort = () => {
      ended()
      reject(new Error('The connection ended.'))
    }
    signal.addEventListener('abort', abort)
    onSent(0)
    xhr.send(bodyOf(piece))
    if (signal.aborted) abort()
  })
}

export async function putByFetch(
  sending: Sending,
  fetch: NonNullable<ClientOptions['fetch']> = (request) => globalThis.fetch(request),
): Promise<Answer> {
  const { url, headers, piece, onSent, signal } = sending
  const content = isNode() ? counted(sending) : { body: bodyOf(piece), headers }
  const request = new Request(url, { method: 'PUT', signal, ...content })
  const send = async () => {
    const Xhr = xhrClass()
    if (!Xhr) return globalThis.fetch(request)
    const { status, etag, text } = await putByXhr(sending, Xhr)
    return new Response(text || null, { status, headers: { ETag: etag } })
  }
  const response = await fetch(request, { body: piece, onSent, send })
  return { status: response.status, etag: response.headers.get('ETag') ?? '', text: await response.text() }
}

const bodyOf = (piece: Piece) => (piece instanceof Uint8Array ? piece.slice() : piece)

const STEP_BYTES = 64 * 1_024

/** A streamed body for Node's `fetch`, which pulls it as fast as the network sends, with its Content-Length. */
function counted({ headers, piece, onSent }: Sending) {
  const size = lengthOf(piece)
  let sent = 0
  const body = new ReadableStream<ByteArray>(
    {
      async pull(controller) {
        onSent(sent)
        if (sent === size) return controller.close()
        const step = piece.slice(sent, sent + STEP_BYTES)
        const bytes = step instanceof Blob ? new Uint8Array(await step.arrayBuffer()) : step
        controller.enqueue(bytes)
        sent += bytes.length
      },
    },
    { highWaterMark: 0 },
  )
  const length: [string, string] = ['Content-Length', String(size)]
  return { body, headers: [...headers, length], duplex: 'half' }
}

/** Whether this is Node itself. Compatible runtimes send a stream chunked, without its Content-Length. */
function isNode(): boolean {
  return typeof navigator !== 'undefined' && /^Node\.js\//.test(navigator.userAgent)
}
