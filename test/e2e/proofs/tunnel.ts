import { once } from 'node:events'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** Which traffic a cut waits for: requests to the service, sockets, or content on its way to or from the bucket. */
type Traffic = 'service' | 'socket' | 'bucket'

/** A moment of the traffic: `bytes` more have passed in one direction on connections of that kind. */
export interface Moment {
  traffic: Traffic
  /** `up`: from the client. A cut at the first byte of `down` loses the answer to a request that has taken effect. */
  direction: 'up' | 'down'
  bytes: number
  /** Only requests with such a first line count, like `POST /v1/uploads HTTP/1.1`. */
  request?: RegExp
  /** With `down`: only bytes count that begin so, like `HTTP/1.1 201`. */
  answer?: RegExp
}

/** One connection of a client, with its other end at the server. */
interface Line {
  near: Socket
  far: Socket
  traffic: Traffic | undefined
  /** The first line of the last request. */
  request: string
  isDead: boolean
}

/** A moment that is waited for, with the bytes that are left until then. */
interface Trap {
  moment: Moment
  left: number
  spring: (request: string) => void
}

/**
 * The network between a client and the server, which can be cut: all TCP connections end with a reset, and what they had
 * under way is lost. The service and the bucket are reached through it alike.
 */
export class Tunnel {
  /** The address that a client uses in place of the server's. */
  readonly origin: string
  /** The first lines of the requests so far. */
  readonly requests: string[] = []
  readonly #server: Server
  readonly #lines = new Set<Line>()
  #isDown = false
  #refusals = 0
  #isHeld = false
  readonly #traps = new Set<Trap>()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.origin = `http://localhost:${port}`
  }

  /** Opens a tunnel to the server at `origin`, on a free port. */
  static async to(origin: string): Promise<Tunnel> {
    const { hostname, port } = new URL(origin)
    const server = createServer({ noDelay: true }).listen(0, 'localhost')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('The tunnel has no port.')
    const tunnel = new Tunnel(server, address.port)
    server.on('connection', (near) => {
      if (tunnel.#isDown || tunnel.#refusals-- > 0) near.resetAndDestroy()
      else tunnel.#carry(near, dial({ host: hostname, port: Number(port), noDelay: true }))
    })
    return tunnel
  }

  /** Resets all connections. Returns how many there were. */
  cut(): number {
    const lines = [...this.#lines]
    for (const { near, far } of lines) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
    this.#lines.clear()
    return lines.length
  }

  /**
   * Cuts as soon as the traffic has come to that moment; the bytes that complete it are not forwarded. Resolves with the
   * first line of the request that it met.
   */
  async cutAt(moment: Moment): Promise<string> {
    return this.#meet(moment, () => this.cut())
  }

  /** Lets nothing more through on the connections there are, which do not end: what a lost radio does to them. */
  deaden(): number {
    for (const line of this.#lines) line.isDead = true
    return this.#lines.size
  }

  /** Holds all content up as soon as the traffic has come to that moment, until `release`. */
  async holdAt(moment: Moment): Promise<string> {
    return this.#meet(moment, () => {
      this.#isHeld = true
    })
  }

  release(): void {
    this.#isHeld = false
    for (const { near } of this.#lines) near.resume()
  }

  /** Resolves as soon as the traffic has come to that moment, and does nothing else. */
  async reach(moment: Moment): Promise<string> {
    return this.#meet(moment, () => {})
  }

  #meet(moment: Moment, act: () => void): Promise<string> {
    return new Promise((resolve) => {
      const spring = (request: string) => {
        act()
        resolve(request)
      }
      this.#traps.add({ moment, left: moment.bytes, spring })
    })
  }

  /** Gives up the moments that are waited for. Their promises stay open. */
  disarm(): void {
    this.#traps.clear()
  }

  /** Cuts, and resets new connections too, until `restore`. */
  takeDown(): void {
    this.#isDown = true
    this.cut()
  }

  /** Resets as many of the next connections at once. */
  refuse(connections: number): void {
    this.#refusals = connections
  }

  restore(): void {
    this.#isDown = false
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.takeDown()
    await closed
  }

  #carry(near: Socket, far: Socket): void {
    const line: Line = { near, far, traffic: undefined, request: '', isDead: false }
    this.#lines.add(line)
    for (const [from, to, direction] of [
      [near, far, 'up'],
      [far, near, 'down'],
    ] as const) {
      from.on('error', () => {})
      from.on('close', () => {
        this.#lines.delete(line)
        to.destroy()
      })
      from.on('end', () => to.end())
      from.on('data', (chunk) => {
        if (line.isDead) return
        if (direction === 'up') this.#noteRequest(line, chunk)
        this.#spring(line, direction, chunk)
        if (direction === 'up' && this.#isHeld && line.traffic === 'bucket') from.pause()
        if (!to.destroyed && !to.write(chunk)) {
          from.pause()
          to.once('drain', () => {
            if (!this.#isHeld) from.resume()
          })
        }
      })
    }
  }

  #noteRequest(line: Line, chunk: Buffer): void {
    const [request] = /^[A-Z]+ \/\S* HTTP\/1\.1(?=\r\n)/.exec(chunk.toString('latin1', 0, 8_192)) ?? []
    if (request === undefined) return // in the midst of a body
    line.request = request
    line.traffic = trafficOf(request)
    this.requests.push(request)
  }

  /** Counts what passes, for the moments that are waited for. */
  #spring(line: Line, direction: Moment['direction'], chunk: Buffer): void {
    for (const trap of this.#traps) {
      const { moment } = trap
      if (moment.traffic !== line.traffic || moment.direction !== direction) continue
      if (moment.request && !moment.request.test(line.request)) continue
      if (moment.answer && !moment.answer.test(chunk.toString('latin1', 0, 100))) continue
      trap.left -= chunk.length
      if (trap.left > 0) continue
      this.#traps.delete(trap)
      trap.spring(line.request)
    }
  }
}

function trafficOf(request: string): Traffic {
  if (request.includes(' /cdn-cgi/')) return 'bucket'
  return request.includes(' /v1/notifications/ws') ? 'socket' : 'service'
}
