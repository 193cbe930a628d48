import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A web site with one page, on an origin of its own: not that of the service. */
export class Site {
  readonly origin: string
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.origin = `http://127.0.0.1:${port}`
  }

  /** Serves a page with a script: a module beside this file, bundled for browsers. */
  static async serve(module: string): Promise<Site> {
    const script = await bundled(fileURLToPath(new URL(module, import.meta.url)))
    const server = createServer((request, response) => {
      const [type, text] = request.url === '/page.js' ? ['text/javascript', script] : ['text/html', page]
      response.writeHead(request.url === '/favicon.ico' ? 204 : 200, { 'Content-Type': type })
      response.end(request.url === '/favicon.ico' ? undefined : text)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('The site has no port.')
    return new Site(server, address.port)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

const page = `<!doctype html><meta charset="utf-8"><title>A page of a game</title>
<input type="file"><script type="module" src="/page.js"></script>`

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.map(({ text }) => text).join('')
}
