/** @module-tag release */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { userAgent } from '../../client/src/user-agent.ts'
import { developmentToken } from '../../scripts/development.ts'
import { project, textOf } from './citations.ts'
import { readmeExamples } from './client-readme.ts'
import { examplesOf } from './guides.ts'
import { sharedServer } from './shared-servers.ts'
import { runTool, toolsFolder } from './tools.ts'

const run = promisify(execFile)
const client = join(project, 'client')
/** The programs here take seconds each. */
const TIMEOUT_MS = 120_000

let folder: string
/** The file that `npm pack` makes. */
let packed: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consumer-'))
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: client })
  packed = join(folder, stdout.trim().split('\n').at(-1) ?? '')
  await run('tar', ['-xzf', packed], { cwd: folder })
  await mkdir(join(folder, 'node_modules'))
  await rename(join(folder, 'package'), join(folder, 'node_modules/edge-game-storage-client'))
  for (const name of ['@noble', '@types'])
    await symlink(join(project, 'node_modules', name), join(folder, 'node_modules', name))
}, TIMEOUT_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Writes an application that uses the package as it is packed, with a configuration for each of these options. */
async function application(
  sources: Record<string, string>,
  options: Record<string, unknown>[],
  lib = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
): Promise<string[]> {
  const at = await mkdtemp(join(folder, 'app-'))
  await writeFile(join(at, 'package.json'), '{ "type": "module" }')
  for (const [name, source] of Object.entries(sources)) await writeFile(join(at, name), source)
  // The declarations of the package are checked, those that come with the compiler are not.
  const common = { target: 'es2022', lib, strict: true, noEmit: true, skipDefaultLibCheck: true }
  return Promise.all(
    options.map(async (own, number) => {
      const file = join(at, `tsconfig.${number}.json`)
      const compilerOptions = { ...common, ...own }
      await writeFile(file, JSON.stringify({ compilerOptions, files: Object.keys(sources) }))
      return file
    }),
  )
}

/** Compiles with the compiler of the project itself. */
async function compileWithOwn(...configurations: string[]): Promise<void> {
  for (const file of configurations)
    expect(await runTool(join(project, 'node_modules/typescript/bin/tsc'), ['-p', file], folder)).toBe('')
}

it('names the version of its package.json as its User-Agent', async () => {
  const { version } = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'))
  expect(userAgent()).toBe(`edge-game-storage-client/${version}`)
})

it('has the version and the licence of the service, and the first session installs that version', async () => {
  const versionOf = async (path: string) => JSON.parse(await readFile(path, 'utf8')).version
  const version = await versionOf(join(project, 'package.json'))
  expect(await versionOf(join(client, 'package.json'))).toBe(version)
  expect(await versionOf(join(project, 'console/package.json'))).toBe(version)
  expect(textOf('client/LICENSE')).toBe(textOf('LICENSE'))
  const installed = textOf('docs/first-session.md').match(/edge-game-storage-client-[\d.]+\.tgz/g)
  expect(new Set(installed)).toEqual(new Set([basename(packed)]))
})

it('is a package without a fault that publint knows', { timeout: TIMEOUT_MS }, async () => {
  expect(await runTool('publint/src/cli.js', ['--strict', packed], folder)).toContain('All good!')
})

/** What an application writes, and what the compiler has to refuse. */
const consumer = `
import {
  createClient, GameStorageError, indexedDbStore, NetworkError, SaveConflict, ServiceError, WriteConflict, type AssetVersion,
  type Client, type ErrorCode, type FileRecord, type GameAsset, type Inbox, type Notification, type Profile, type Quota,
  type Save, type SaveStore, type Share, type UpdateProgress,
} from 'edge-game-storage-client'
import { createInbox } from 'edge-game-storage-client/inbox'
import { createSaves } from 'edge-game-storage-client/saves'
import { type ContentStore, indexedDbContent, InstalledContent } from 'edge-game-storage-client/installed'
import { folderContent } from 'edge-game-storage-client/node'
import { createStudio } from 'edge-game-storage-client/studio'

const client: Client = createClient({
  baseUrl: 'https://storage.example.com',
  token: async ({ renew }) => (renew ? 'new' : 'old'),
})

export async function use(file: File, signal: AbortSignal): Promise<string> {
  const { id } = await client.files.createFolder({ name: 'Skins' }, { signal, idempotencyKey: 'k' })
  // @ts-expect-error a folder has a name
  await client.files.createFolder({})
  // @ts-expect-error there is no such sort
  client.files.list({ sort: 'colour' })
  // @ts-expect-error a list takes no ifMatch
  client.files.list({}, { ifMatch: '"1"' })
  for await (const { name, size_bytes } of client.files.list({ parent_id: id, limit: 10 })) console.log(name, size_bytes + 1)

  const { etag } = await client.files.get({ id })
  const { name } = await client.files.edit({ id, name: 'Hats' }, { ifMatch: etag })
  const uploaded: FileRecord = await client.files.upload(
    { content: file, parent_id: id },
    { onProgress: ({ sent_bytes }) => console.log(sent_bytes) },
  )
  // @ts-expect-error an option is no member
  await client.files.upload({ content: file, onProgress: () => {} })
  // @ts-expect-error the upload of a file makes no asset
  uploaded.asset
  const made = await client.assets.upload({ content: file, asset_type: 'world', name: 'Castle' })
  const asset: GameAsset = made.asset
  // @ts-expect-error the upload of an asset makes no file
  made.file
  const version: AssetVersion = made.version
  const share: Share = await client.shares.create({ id: uploaded.id, grantee_id: 'bob', permission: 'view' })
  const quota: Quota = await client.quota.get()
  const profile: Profile = await client.profiles.set({ picture_id: null })
  for await (const found of client.catalogue.list({ tag: ['maze'], sort: 'popular' })) await client.favorites.add({ id: found.id })
  const target = { type: 'asset', id: asset.id } as const
  const report = await client.reports.create({ target, category: 'spam' })
  // @ts-expect-error there is no such category
  await client.reports.create({ target, category: 'boring' })
  for await (const decision of client.decisions.list()) await client.decisions.appeal({ id: decision.id, text: report.id })
  return name + uploaded.name + version.version + asset.name + share.id + quota.used_bytes + profile.user_id
}

export async function install(store: ContentStore, asset_id: string): Promise<string> {
  const worlds: InstalledContent = typeof indexedDB === 'undefined' ? new InstalledContent(store) : indexedDbContent()
  const onProgress = ({ received_bytes, size_bytes }: UpdateProgress) => console.log(received_bytes / size_bytes)
  const { updates, refused } = await client.assets.update(worlds, { platform: 'windows', assets: [{ asset_id }], onProgress })
  // @ts-expect-error a build is a number
  await client.assets.update(folderContent('worlds'), { build: '4' })
  await client.assets.update(updates)
  const [world] = await client.assets.installed(worlds)
  await client.assets.release({ id: asset_id, version: 2 })
  return refused.map(({ code }) => code).join() + (await world?.content())?.size
}

export async function play(bytes: Uint8Array, store: SaveStore = new Map<string, Uint8Array>()): Promise<number> {
  const { revision } = await client.saves.write({ slot: 'auto', bytes, device: 'phone', played_seconds: 60 })
  // @ts-expect-error a save is bytes
  await client.saves.write({ slot: 'auto', bytes: { level: 3 } })
  // @ts-expect-error a restore has no label
  await client.saves.restore({ slot: 'auto', revision, label: 'again' })
  const saves = client.saves.offline(typeof indexedDB === 'undefined' ? store : indexedDbStore(), { user: 'ada' })
  saves.on('conflict', async (conflict) => {
    const save: Save = await conflict.resolve({ bytes: conflict.mine.bytes, label: conflict.current?.label ?? 'new' })
    console.log(save.revision + 1)
  })
  // @ts-expect-error no such event
  saves.on('cheese', () => {})
  const read = await saves.read({ slot: 'auto' })
  // @ts-expect-error it has no revision before it was sent
  read.revision + 1
  return read.bytes.length
}

interface Gift { gift_id: string }
interface Game {
  'shop.gift': Gift
  'guild.invitation': { guild_id: number }
}
const options = { baseUrl: 'https://storage.example.com', token: '' }
const game = createClient<Game>(options)
const studio = createStudio<Game>(options)
const anyStudio = createStudio(options)
export const alone = { saves: createSaves(options), inbox: createInbox<Game>(options) }
// @ts-expect-error a type of the game's own has a dot
createClient<{ gift: { gift_id: string } }>({ baseUrl: 'https://storage.example.com', token: '' })
// @ts-expect-error data is an object
createClient<{ 'shop.gift': string }>({ baseUrl: 'https://storage.example.com', token: '' })

export function shown(notification: Notification<Game>): string {
  switch (notification.type) {
    case 'friend_request':
    case 'friend_accepted':
      return notification.data.from_display_name
    case 'file.shared':
      return notification.data.name
    case 'moderation.decision':
      // @ts-expect-error a decision has no outcome
      notification.data.outcome
      return notification.data.target.type + notification.data.action + (notification.data.name ?? '')
    case 'moderation.report_decided':
      return notification.data.report_id
    case 'moderation.appeal_decided':
      return notification.data.outcome
    case 'shop.gift':
      // @ts-expect-error a gift is for no guild
      notification.data.guild_id
      return notification.data.gift_id
    case 'guild.invitation':
      return notification.data.guild_id.toFixed()
    // @ts-expect-error no such type
    case 'shop.sale':
      return ''
    default: {
      const type: string = notification.type
      const data: Record<string, unknown> = notification.data
      return type + String(data.title)
    }
  }
}

export async function publish(user_id: string): Promise<string> {
  const { type, data } = await studio.notifications.publish({ user_id, type: 'shop.gift', data: { gift_id: 'sword' }, expires_in: 60 })
  // @ts-expect-error a gift has an id
  await studio.notifications.publish({ user_id, type: 'shop.gift', data: {} })
  // @ts-expect-error the data of another type
  await studio.notifications.publish({ user_id, type: 'shop.gift', data: { guild_id: 7 } })
  // @ts-expect-error no such type
  await studio.notifications.publish({ user_id, type: 'shop.sale', data: {} })
  // @ts-expect-error the contract's data
  await studio.notifications.publish({ user_id, type: 'friend_request', data: { gift_id: 'sword' } })
  const turn = { type: 'guild.invitation', data: { guild_id: 7 } } as const
  const { results } = await studio.notifications.publishToMany({ user_ids: [user_id], ...turn, persistent: false })
  const { id } = await studio.announcements.publish({ ...turn, expires_at: 1_800_000_000 })
  // @ts-expect-error only a type of the game's own is announced
  await studio.announcements.publish({ type: 'friend_request', data: { from_user_id: 7, from_display_name: 'Bob' }, expires_at: 1 })
  for await (const announced of studio.announcements.list()) if (announced.type === 'shop.gift') return announced.data.gift_id
  for await (const one of game.inbox.list({ state: 'unread', type: 'shop.gift' })) console.log(shown(one))
  // @ts-expect-error no such type
  game.inbox.list({ type: 'shop.sale' })
  return type === 'shop.gift' ? data.gift_id : id + results.length
}

export function open(inbox: Inbox<Game> = game.inbox.open()): void {
  inbox.on('notification', ({ type, data }) => type === 'shop.gift' && console.log(data.gift_id))
  inbox.on('signal', (signal) => console.log(shown(signal)))
  inbox.on('change', ({ notifications }) => notifications.map(shown))
  inbox.snapshot?.notifications.map(shown)
}

export async function anyType(user_id: string): Promise<unknown> {
  const { type, data } = await anyStudio.notifications.publish({ user_id, type: 'shop.sale', data: { percent: 20 } })
  // @ts-expect-error a type of the game's own has a dot
  await anyStudio.notifications.publish({ user_id, type: 'sale', data: { percent: 20 } })
  // @ts-expect-error the contract's data
  await anyStudio.notifications.publish({ user_id, type: 'friend_accepted', data: { percent: 20 } })
  return type === 'friend_request' ? data.from_display_name : type === 'shop.sale' ? data.percent : data
}

export function told(error: unknown): string {
  if (error instanceof WriteConflict) return error.slot + error.mine.bytes.length + (error.kept_revision ?? 0)
  if (error instanceof SaveConflict) return error.slot + (error.current?.device ?? '')
  if (error instanceof GameStorageError && error.status === undefined) return error.code + error.advice
  if (error instanceof NetworkError) return 'Are you online?'
  if (!(error instanceof ServiceError)) throw error
  const code: ErrorCode = error.code
  switch (error.code) {
    case 'QUOTA_EXCEEDED':
      return 'Your storage is full.'
    // @ts-expect-error no such code
    case 'OUT_OF_CHEESE':
      return ''
    default:
      return code + error.request_id + (error.retry_after ?? 0)
  }
}
`

/** A strict application without the types of Node. */
const strict = { types: [], skipLibCheck: false, exactOptionalPropertyTypes: true }
const bundler = { ...strict, module: 'esnext', moduleResolution: 'bundler' }
const nodenext = { ...strict, module: 'nodenext', moduleResolution: 'nodenext' }
const node10 = { ...strict, module: 'esnext', moduleResolution: 'node10' }

it('compiles in a strict application without the types of Node, its declarations too, with the compiler of the project', {
  timeout: TIMEOUT_MS,
}, async () => {
  await compileWithOwn(...(await application({ 'app.ts': consumer }, [bundler, nodenext])))
})

/**
 * Compiles with each configuration, with the compiler at this path. What comes with the compiler is read once for all of them: that
 * takes most of the time of a compilation.
 */
const compiler = `
import { basename } from 'node:path'
const [path, ...configurations] = process.argv.slice(2)
const { default: ts } = await import(path)
const libraries = new Map()
for (const file of configurations) {
  const parsed = ts.getParsedCommandLineOfConfigFile(file, undefined, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.log })
  const host = ts.createCompilerHost(parsed.options)
  const read = host.getSourceFile
  host.getSourceFile = (name, ...others) => {
    if (!basename(name).startsWith('lib.')) return read.call(host, name, ...others)
    if (!libraries.has(name)) libraries.set(name, read.call(host, name, ...others))
    return libraries.get(name)
  }
  const program = ts.createProgram(parsed.fileNames, parsed.options, host)
  const found = [...parsed.errors, ...ts.getPreEmitDiagnostics(program)]
  console.log(basename(file), ts.formatDiagnostics(found, host))
}
`

it.each([
  ['typescript', ['dom.asynciterable']],
  ['typescript-5.2', []],
])(
  'compiles in the same applications with %s, and with its moduleResolution node10',
  { timeout: TIMEOUT_MS },
  async (name, more) => {
    const lib = ['es2022', 'dom', 'dom.iterable', ...more]
    const applications = await application({ 'app.ts': consumer }, [bundler, nodenext, node10], lib)
    const faulty = await application(
      { 'app.ts': `${consumer}\nexport const count: number = shown` },
      [node10],
      lib,
    )
    const program = join(folder, 'compiler.mjs')
    await writeFile(program, compiler)
    const at = join(await toolsFolder(), 'node_modules', name, 'lib/typescript.js')
    const printed = await runTool(program, [at, ...applications, ...faulty], folder)
    expect(printed).toMatch(
      /^tsconfig.0.json \ntsconfig.1.json \ntsconfig.2.json \ntsconfig.0.json \S+app.ts\(\d+,14\): error TS2322: .*\n\n?$/,
    )
  },
)

it('has a README whose examples compile in a strict application for Node', {
  timeout: TIMEOUT_MS,
}, async () => {
  const options = { module: 'nodenext', types: ['node'], skipLibCheck: true }
  await compileWithOwn(...(await application({ 'readme.ts': readmeExamples().source }, [options])))
})

it('does what the first session shows, saved as it says in a folder that npm init has made', async () => {
  const examples = examplesOf('first-session.md', 'ts')
  const at = await mkdtemp(join(folder, 'my-game-'))
  await writeFile(join(at, 'package.json'), '{ "type": "commonjs" }')
  await writeFile(join(at, 'first.mts'), examples.map(({ script }) => script).join('\n'))
  const { url } = await sharedServer('usual')
  const env = { ...process.env, BASE: url(), TOKEN: await developmentToken(`ada-${randomUUID()}`) }
  const { stdout } = await run(process.execPath, ['first.mts'], { cwd: at, env })
  expect(stdout).toBe(examples.map(({ printed }) => printed).join(''))
})

/** What a bundled application does: it names each entry, and leaves nothing open. */
const bundled = `
import { createClient } from 'edge-game-storage-client'
import { createInbox } from 'edge-game-storage-client/inbox'
import { createSaves } from 'edge-game-storage-client/saves'
import { indexedDbContent } from 'edge-game-storage-client/installed'
import { createStudio } from 'edge-game-storage-client/studio'

const options = { baseUrl: 'https://storage.example.com', token: 'a.b.c' }
console.log(typeof createClient(options).files.list, typeof createInbox(options).open, typeof createSaves(options).write,
  typeof indexedDbContent().list, typeof createStudio(options).notifications.publish)
`

/** Programs that bundle the application into dist/ as each bundler does by itself. */
const bundlers = {
  esbuild: `import { build } from 'esbuild'
await build({ entryPoints: ['main.js'], bundle: true, outfile: 'dist/main.js', format: 'esm' })`,
  vite: `import { build } from 'vite'
await build({ logLevel: 'error', build: { lib: { entry: 'main.js', formats: ['es'], fileName: 'main' } } })`,
  webpack: `import webpack from 'webpack'
webpack({ mode: 'production', entry: './main.js' }, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString())
})`,
}

it.each(Object.entries(bundlers))(
  'runs in a bundle of %s, as it is packed, without a setting for it',
  { timeout: TIMEOUT_MS },
  async (bundler, program) => {
    const at = await mkdtemp(join(folder, 'bundle-'))
    await writeFile(join(at, 'package.json'), '{ "type": "module" }')
    await writeFile(join(at, 'main.js'), bundled)
    const from = bundler === 'esbuild' ? project : await toolsFolder()
    await mkdir(join(at, 'node_modules'))
    await symlink(join(from, 'node_modules', bundler), join(at, 'node_modules', bundler))
    await writeFile(join(at, 'bundle.mjs'), program)
    await run(process.execPath, ['bundle.mjs'], { cwd: at })
    const { stdout } = await run(process.execPath, ['dist/main.js'], { cwd: at })
    expect(stdout).toBe('function function function function function\n')
  },
)

it('opens an inbox, writes a save and installs a world in Node 20, with the WebSocket of ws', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { url } = await sharedServer('usual')
  const modules = join(await toolsFolder(), 'node_modules')
  const at = await mkdtemp(join(folder, 'node20-'))
  await mkdir(join(at, 'node_modules'))
  await symlink(join(modules, 'ws'), join(at, 'node_modules/ws'))
  await writeFile(join(at, 'main.mjs'), onNode20)
  const env = { ...process.env, BASE: url(), TOKEN: await developmentToken(`ada-${randomUUID()}`) }
  const { stdout } = await run(join(modules, '.bin/node'), ['main.mjs'], { cwd: at, env })
  expect(stdout).toMatch(/^v20\.\d+\.\d+ connected 1 a tower\n$/)
})

const onNode20 = `
import { createClient } from 'edge-game-storage-client'
import { folderContent } from 'edge-game-storage-client/node'
import { WebSocket } from 'ws'

const client = createClient({ baseUrl: process.env.BASE, token: process.env.TOKEN })
const inbox = client.inbox.open({ WebSocket })
const connected = new Promise((resolve) => inbox.on('state', ({ name }) => name === 'connected' && resolve(name)))
const { revision } = await client.saves.write({ slot: 'auto', bytes: 'level 3' })
const { asset } = await client.assets.upload({ content: 'a tower', asset_type: 'world', name: 'Castle' })
const worlds = folderContent('worlds')
await client.assets.update(worlds, { assets: [{ asset_id: asset.id }] })
const [world] = await client.assets.installed(worlds)
console.log(process.version, await connected, revision, await (await world.content()).text())
await inbox.close()
`

it.each([
  ['index', 25],
  ['saves', 11],
  ['inbox', 12],
  ['installed', 8],
])(
  'has at most the size that its README says in a page, minified and compressed, and imports nothing of Node: %s',
  async (entry, kibibytes) => {
    const { outputFiles } = await build({
      entryPoints: [join(folder, `node_modules/edge-game-storage-client/dist/${entry}.js`)],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    const [bundle] = outputFiles
    if (!bundle) throw new Error('no bundle')
    expect(bundle.text).not.toContain('node:')
    expect(textOf('client/README.md')).toContain(`${kibibytes} KiB`)
    expect(gzipSync(bundle.contents, { level: 9 }).length).toBeLessThanOrEqual(kibibytes * 1_024)
  },
)
