import type { WebSocketClass, WebSocketLike } from 'edge-game-storage-client'

/** The network of one device's inbox. Cutting it closes all sockets, and no new one opens meanwhile. */
export class CuttableNetwork {
  readonly WebSocket: WebSocketClass
  readonly #sockets = new Set<CuttableSocket>()
  #isCut = false

  constructor() {
    const opened = (socket: CuttableSocket) => this.#opened(socket)
    this.WebSocket = class extends CuttableSocket {
      constructor(url: string, protocols: string[]) {
        super()
        if (opened(this)) this.connect(new WebSocket(url, protocols))
      }
    }
  }

  get isCut(): boolean {
    return this.#isCut
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.lose()
    this.#sockets.clear()
  }

  join(): void {
    this.#isCut = false
  }

  /** Whether a new socket has a network. */
  #opened(socket: CuttableSocket): boolean {
    if (this.#isCut) setTimeout(() => socket.lose())
    else this.#sockets.add(socket)
    return !this.#isCut
  }
}

type Listener = (event: { data: unknown } & { code: number }) => void

/** A socket that can be cut: it emits `close` at once, as after a network error. */
class CuttableSocket implements WebSocketLike {
  readonly #listeners: [string, Listener][] = []
  #socket: WebSocket | undefined
  #isLost = false

  get readyState(): number {
    return this.#isLost ? WebSocket.CLOSED : (this.#socket?.readyState ?? WebSocket.CONNECTING)
  }

  connect(socket: WebSocket): void {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#showNotice('message', { data, code: 0 }))
    socket.addEventListener('close', ({ code }) => this.#showNotice('close', { data: undefined, code }))
  }

  lose(): void {
    this.#isLost = true
    this.#showNotice('close', { data: undefined, code: 1006 })
    this.#listeners.length = 0
    this.#socket?.close()
  }

  send(data: string): void {
    this.#socket?.send(data)
  }

  close(): void {
    this.#socket?.close()
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push([type, listener])
  }

  #showNotice(type: string, event: Parameters<Listener>[0]): void {
    for (const [known, listener] of [...this.#listeners]) if (known === type) listener(event)
  }
}
