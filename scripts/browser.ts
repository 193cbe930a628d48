/** Headless Chromium from an npm package, for browser tests and screenshots. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { project } from './development.ts'

/** A name of this machine whose pages are no secure context, as at its address in the network. */
export const INSECURE_HOST = 'console.internal'

/** Resolves no host name except this machine's. */
const onlyThisMachine = `--host-resolver-rules=MAP ${INSECURE_HOST} localhost, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1`

/**
 * Starts a browser that reaches this machine alone: on Linux x64 that of `@sparticuz/chromium`, elsewhere the installed
 * Chrome, or the one at the path CHROMIUM. Same-origin checks stay on: the arguments that the package recommends disable them.
 *
 * @throws Error that says what to install
 */
export async function launchBrowser(): Promise<Browser> {
  const options = await whichBrowser()
  try {
    return await chromium.launch({ ...options, args: ['--disable-dev-shm-usage', onlyThisMachine] })
  } catch (error) {
    throw new Error(`No browser could be started. ${whatToInstall(String(error))}`, { cause: error })
  }
}

async function whichBrowser(): Promise<LaunchOptions> {
  const { CHROMIUM } = process.env
  if (CHROMIUM) return { executablePath: CHROMIUM }
  if (process.platform === 'linux' && process.arch === 'x64') return { executablePath: await unpacked() }
  return { channel: 'chrome' }
}

function whatToInstall(reason: string): string {
  const [, library] = reason.match(/loading shared libraries: ([^:\s]+)/) ?? []
  if (library)
    return `Chromium needs ${library}. On Debian and Ubuntu: apt-get install libnss3. Or set CHROMIUM to the path of a Chrome.`
  return 'Install Chrome, or set CHROMIUM to the path of a Chrome or Chromium.'
}

/** The path of the package's Chromium, which is unpacked on first use (210 MB, two seconds) and removed by `npm ci`. */
async function unpacked(): Promise<string> {
  const cache = join(project, 'node_modules/.cache')
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  const directory = join(cache, `chromium-${version}`)
  if (!existsSync(directory)) {
    mkdirSync(cache, { recursive: true })
    const fresh = mkdtempSync(`${directory}-`)
    // The package unpacks into TMPDIR, and would use an incomplete file that another process is unpacking there.
    const unpack = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())"
    await promisify(execFile)(process.execPath, ['--eval', unpack], {
      cwd: project,
      env: { ...process.env, TMPDIR: fresh },
    })
    try {
      renameSync(fresh, directory)
    } catch (error) {
      rmSync(fresh, { recursive: true })
      if (!existsSync(directory)) throw error
    }
  }
  return join(directory, 'chromium')
}

/**
 * Collects the faults of a page: uncaught errors, console errors, and requests to an origin outside `origins`. Observes
 * requests without interception, which would disable the browser's cache and the headers that the cache adds.
 */
export function faultsOf(page: Page, origins: string[]): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('websocket', (socket) => {
    const { origin } = new URL(socket.url().replace(/^ws/, 'http'))
    if (!origins.includes(origin)) faults.push(`a socket to ${socket.url()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && !origins.includes(origin)) faults.push(`a request to ${request.url()}`)
  })
  return faults
}
