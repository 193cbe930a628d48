/** A connection between a device and the server that can be cut. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export class Tunnel {
  readonly origin: string
  readonly cut: () => void

  private constructor(port: number, cut: () => void) {
    this.origin = `http://localhost:${port}`
    this.cut = cut
  }

  /** Forwards bytes in both directions until the connection is cut, without a closing handshake. */
  static async to(origin: string): Promise<Tunnel> {
    const ends = new Set<Socket>()
    const server = createServer((near) => {
      const far = connect(Number(new URL(origin).port), 'localhost')
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        ends.add(from)
        from.on('error', () => {})
        from.on('close', () => to.destroy())
        from.pipe(to)
      }
    }).listen(0, 'localhost')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('There is no port for the tunnel.')
    return new Tunnel(address.port, () => {
      server.close()
      for (const end of ends) end.destroy()
    })
  }
}
