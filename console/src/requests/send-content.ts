import type { SentContent } from 'edge-game-storage-client'

/** Sends content to storage and tells how much has been sent, which `fetch` does not in browsers. */
export function sendContent(request: Request, { body, onSent }: SentContent): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    const ended = () => request.signal.removeEventListener('abort', abort)
    xhr.open(request.method, request.url)
    for (const [name, value] of request.headers) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded)
    xhr.onload = () => {
      ended()
      const headers = { ETag: xhr.getResponseHeader('ETag') ?? '' }
      resolve(new Response(xhr.responseText || null, { status: xhr.status, headers }))
    }
    xhr.onerror = xhr.onabort = () => {
      ended()
      reject(new TypeError('The connection ended.'))
    }
    request.signal.addEventListener('abort', abort)
    onSent(0)
    xhr.send(body instanceof Blob ? body : body.slice())
    if (request.signal.aborted) abort()
  })
}
