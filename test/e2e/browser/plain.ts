/** The script of a page that talks to the service and to the bucket with nothing but what browsers have. */

interface Sent {
  method?: string
  url: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

/** The answer to a request, with those of its headers that the page may read. */
async function send({ url, ...init }: Sent) {
  const response = await fetch(url, init)
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, text: await response.text() }
}

/** The answer to a signed PUT of content that is made of one byte. */
function put({ byte, size_bytes, ...sent }: Sent & { byte: number; size_bytes: number }) {
  return send({ ...sent, method: 'PUT', body: new Uint8Array(size_bytes).fill(byte) })
}

/** The answer to the first of many equal requests that has this status. */
async function sendUntil({ status, times, ...sent }: Sent & { status: number; times: number }) {
  const answers = await Promise.all(Array.from({ length: times }, () => send(sent)))
  return answers.find((answer) => answer.status === status)
}

/** The first message of a socket, and the subprotocol that the service selected. */
function listen({ url, protocols }: { url: string; protocols: string[] }) {
  const socket = new WebSocket(url, protocols)
  return new Promise<{ protocol: string; message: string }>((resolve, reject) => {
    socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`))
    socket.onmessage = ({ data }) => resolve({ protocol: socket.protocol, message: String(data) })
  })
}

const acts = { send, put, sendUntil, listen }
export type PlainActs = typeof acts
Object.assign(globalThis, { acts })
