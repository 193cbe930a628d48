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
}

/** One connection of a client, with its other end at the server. */
interface Line {
  near: Socket
  far: Socket
  traffic: Traffic | undefined
}

/**
 * The network between a client and the server, which can be cut: all TCP connections end with a reset, and what they had
 * under way is lost. The service and the bucket are reached through it alike.
 */
export class Tunnel {
  /** The address that a client uses in place of the server's. */
  readonly origin: string
  /** How many connections have been cut while they were in use. */
  lost = 0
  readonly #server: Server
  readonly #lines = new Set<Line>()
  #isDown = false
  #trap: { moment: Moment; left: number; spring: () => void } | undefined

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
      if (tunnel.#isDown) near.resetAndDestroy()
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
    this.lost += lines.length
    return lines.length
  }

  /** Cuts as soon as the traffic has come to that moment; the bytes that complete it are not forwarded. */
  cutAt(moment: Moment): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#trap = { moment, left: moment.bytes, spring: resolve }
    return promise
  }

  /** Gives up the moment that is waited for. Its promise stays open. */
  disarm(): void {
    this.#trap = undefined
  }

  /** Cuts, and resets new connections too, until `restore`. */
  takeDown(): void {
    this.#isDown = true
    this.cut()
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
    const line: Line = { near, far, traffic: undefined }
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
        if (direction === 'up') line.traffic = trafficOf(chunk) ?? line.traffic
        if (this.#springs(line, direction, chunk.length)) return
        if (!to.destroyed && !to.write(chunk)) {
          from.pause()
          to.once('drain', () => from.resume())
        }
      })
    }
  }

  /** Counts what passes, and cuts when the moment has come. */
  #springs(line: Line, direction: Moment['direction'], bytes: number): boolean {
    const trap = this.#trap
    if (!trap || trap.moment.traffic !== line.traffic || trap.moment.direction !== direction) return false
    trap.left -= bytes
    if (trap.left > 0) return false
    this.#trap = undefined
    this.cut()
    trap.spring()
    return true
  }
}

/** What a chunk that begins with the head of a request is for; undefined when it is in the midst of a body. */
function trafficOf(chunk: Buffer): Traffic | undefined {
  const [, path] = /^[A-Z]+ (\/\S*) HTTP\/1\.1\r\n/.exec(chunk.toString('latin1', 0, 4_096)) ?? []
  if (path === undefined) return undefined
  if (path.startsWith('/cdn-cgi/')) return 'bucket'
  return path.startsWith('/v1/notifications/ws') ? 'socket' : 'service'
}
