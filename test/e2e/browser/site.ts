import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A web site on an origin of its own: not that of the service. It has a page for each of some scripts. */
export class Site {
  readonly origin: string
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.origin = `http://127.0.0.1:${port}`
  }

  /** Serves pages with these modules of this folder as scripts, bundled for browsers. */
  static async serve(...modules: string[]): Promise<Site> {
    const scripts = new Map<string, string>(
      await Promise.all(modules.map(async (name) => [`/${name}.js`, await bundled(name)] as const)),
    )
    const server = createServer(({ url = '' }, response) => {
      const script = scripts.get(url)
      response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' })
      response.end(script ?? pageWith(`${url}.js`))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('The site has no port.')
    return new Site(server, address.port)
  }

  /** The address of the page with this script. */
  page(module: string): string {
    return `${this.origin}/${module}`
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

const pageWith = (script: string) => `<!doctype html><meta charset="utf-8"><title>A page of a game</title>
<link rel="icon" href="data:,"><input type="file"><script type="module" src="${script}"></script>`

async function bundled(module: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`${module}.ts`, import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.map(({ text }) => text).join('')
}
