import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { gzippedKiB, MAX_BUNDLE_KIB, bundle as minified } from '../../bench/bundle.ts'
import { blocksOf, startupOf } from '../../bench/startup.ts'
import { bundle } from '../../scripts/deploy/bundle.ts'
import { folderOf } from '../../scripts/deploy/configuration.ts'
import { Deployment } from '../../scripts/deploy/deployment.ts'
import { refusalsInBundle } from '../../scripts/deploy/refusals.ts'
import { readSettings } from '../../scripts/deploy/settings.ts'
import { Wrangler } from '../../scripts/deploy/wrangler.ts'
import { developmentVariables } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { Studio, settings } from './deploy/run.ts'
import { builtWorker } from './setup.ts'

let studio: Studio | undefined

async function withSettings(more: object = {}): Promise<string> {
  studio = await Studio.with({ ...settings, ...more })
  return studio.settings
}
afterEach(() => {
  studio?.end()
  studio = undefined
})

/** How a Worker is bundled without wrangler, which takes seconds to start. */
const asWorker: BuildOptions = {
  absWorkingDir: project,
  bundle: true,
  format: 'esm',
  external: ['cloudflare:*', 'node:*'],
  logLevel: 'silent',
}

describe('the bundle of a deployment', () => {
  it('is built by wrangler from the generated configuration, and holds nothing of development', async () => {
    const path = await withSettings({ content_checker: 'my-content-checker' })
    const deployment = new Deployment(path, { isDryRun: true })
    expect(await bundle(deployment).plan()).toEqual([])
    const folder = folderOf(deployment.settings)
    const metafile = join(folder, 'bundle-meta.json')
    const sources = Object.keys(JSON.parse(readFileSync(metafile, 'utf8')).inputs)
    expect(sources.some((source) => source.endsWith('src/app.ts'))).toBe(true)

    const { JWT_SECRET = '' } = developmentVariables()
    writeFileSync(join(folder, 'bundle/more.js'), `export const secret = '${JWT_SECRET}'`)
    expect(refusalsInBundle(join(folder, 'bundle'), metafile)).toEqual([
      'more.js holds a secret of .dev.vars',
    ])
  })

  it('is deployed with secrets that wrangler reads from its input, and never prints', {
    tags: 'release',
  }, async () => {
    const folder = dirname(await withSettings())
    const config = join(folder, 'wrangler.json')
    writeFileSync(join(folder, 'worker.js'), 'export default {}')
    writeFileSync(config, JSON.stringify({ name: 'w', main: 'worker.js', compatibility_date: '2026-10-01' }))
    const deploy = ['deploy', '--dry-run', '--config', config, '--secrets-file', '/dev/stdin']
    const input = JSON.stringify({ JWT_SECRET: 'known-to-$HOME-and-nobody' })
    const printed = await new Wrangler().run(deploy, { input })
    expect(printed).toContain('env.JWT_SECRET')
    expect(printed).not.toContain('known-to-')
  })

  it('is refused when it holds what only development serves', async () => {
    const path = await withSettings()
    const folder = folderOf(readSettings(path))
    const { metafile } = await build({
      ...asWorker,
      entryPoints: ['src/local/worker.ts'],
      outfile: join(folder, 'bundle/index.js'),
      metafile: true,
    })
    const sources = join(folder, 'bundle-meta.json')
    writeFileSync(sources, JSON.stringify(metafile))
    expect(refusalsInBundle(join(folder, 'bundle'), sources)).toContain(
      'the bundle holds src/local/worker.ts, which only development serves',
    )
  })

  it('has variables that the Worker takes', async () => {
    const path = await withSettings({
      variables: { JWKS_URL: 'https://login.game.example/jwks.json', JWT_ISUER: 'x' },
    })
    const deployment = new Deployment(path, { isDryRun: true })
    await expect(bundle(deployment).plan()).rejects.toThrow(
      /JWT_ISUER is no variable[\s\S]*JWT_ISSUER is missing/,
    )
  })
})

describe('the Worker as it is deployed', () => {
  /** The sources of the Worker, of that of development, and of one that checks a token and has no framework and no schemas. */
  let [deployed, development, bare] = ['', '', '']
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
    deployed = await minified('src/index.ts', folder)
    await rm(folder, { recursive: true })
    development = readFileSync(builtWorker, 'utf8')
    const floor = await build({ ...asWorker, entryPoints: ['bench/floor.ts'], minify: true, write: false })
    bare = floor.outputFiles[0]?.text ?? ''
  })

  it('has neither the route that makes tokens nor code that makes them, nor the log of what is ignored', () => {
    for (const trace of [
      '/development/token',
      '/development/job',
      'setProtectedHeader',
      'setExpirationTime',
      'ignores ',
    ]) {
      expect(development, 'the trace tells them apart').toContain(trace)
      expect(deployed).not.toContain(trace)
    }
  })

  it('weighs at most 285 KiB gzipped', () => {
    expect(gzippedKiB(deployed)).toBeLessThanOrEqual(MAX_BUNDLE_KIB)
    expect(MAX_BUNDLE_KIB).toBe(285)
  })

  const written = async (folder: string, name: string, source: string) => {
    const file = join(folder, `${name}.mjs`)
    await writeFile(file, source)
    return file
  }

  // Its start-up counts for every first request of an isolate.
  it('starts with at most 100 times as many blocks of code as a bare Worker', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'startup-'))
    const ours = await blocksOf(await written(folder, 'deployed', deployed))
    const floor = await blocksOf(await written(folder, 'bare', bare))
    const eager = await blocksOf(await written(folder, 'development', development))
    await rm(folder, { recursive: true })
    expect(floor, 'the bare Worker was loaded').toBeGreaterThan(100)
    expect(eager / floor, 'one that loads all schemas').toBeGreaterThan(100)
    expect(ours / floor).toBeLessThan(100)
  })

  it('starts with at most 30 times the CPU time of a bare Worker', { tags: 'release' }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'startup-'))
    const ours = await startupOf(await written(folder, 'deployed', deployed))
    const floor = await startupOf(await written(folder, 'bare', bare))
    await rm(folder, { recursive: true })
    expect(ours.cpu_ms / floor.cpu_ms).toBeLessThan(30)
  })
})
