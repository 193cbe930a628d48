/**
 * npm run prove -- upgrade REF: an upgrade from the Worker of a commit, tag or branch. That Worker serves today's tables, as it does
 * between the migrations and the deployment; today's Worker calls objects that still run that code; it takes over its rows and objects;
 * then that Worker serves them again, as it does after a rollback. What a player stored before has to be there each time. Except over
 * the old objects, the acceptance tests of the Worker that serves have to pass (profile core).
 */
import { partialDeepStrictEqual } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { startServer } from './demo/server.ts'
import { nextFree } from './dev/addresses.ts'
import { developmentVariables, project } from './development.ts'
import { callOldObjects, nameOf, type Request, send, servingOldObjects } from './old-objects.ts'

/** Proves the upgrade from a commit, tag or branch. Returns the exit code. */
export async function proveUpgrade(ref: string): Promise<number> {
  const commit = execFileSync('git', ['-C', project, 'rev-parse', '--verify', `${ref}^{commit}`], {
    encoding: 'utf8',
  }).trim()
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  const [before, state] = [join(folder, 'before'), join(folder, 'state')]
  try {
    checkOut(commit, before)
    const player = `player-${commit.slice(0, 8)}`
    const stored = await serving(before, state, async (origin) => {
      await accept(before, origin)
      return store(origin, player)
    })
    const port = await nextFree(8_900, 'localhost')
    await servingOldObjects({ root: before, state, folder, port }, async (origin) => {
      await requireStored(origin, player, stored)
      const unavailable = await callOldObjects(origin, `${player}-old`)
      for (const request of unavailable)
        console.log(`UNAVAILABLE for up to five minutes, while objects run the code of before: ${request}`)
    })
    await serving(project, state, async (origin) => {
      await accept(project, origin)
      await requireStored(origin, player, stored)
    })
    await serving(before, state, async (origin) => {
      await accept(before, origin)
      await requireStored(origin, player, stored)
    })
    console.log(`${ref} (${commit.slice(0, 8)}) can be upgraded to what is checked out, and rolled back to.`)
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Writes the commit into a folder, with today's migrations, and the packages that it needs. */
function checkOut(commit: string, folder: string): void {
  mkdirSync(folder)
  developmentVariables() // makes the file that is copied below
  const archive = execFileSync('git', ['-C', project, 'archive', commit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  rmSync(join(folder, 'migrations'), { recursive: true })
  cpSync(join(project, 'migrations'), join(folder, 'migrations'), { recursive: true })
  // Without `migrations_pattern`, wrangler would apply this page too.
  rmSync(join(folder, 'migrations/schema.sql'))
  cpSync(join(project, '.dev.vars'), join(folder, '.dev.vars'))
  const lockOf = (root: string) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  if (isDeepStrictEqual(lockOf(folder), lockOf(project))) {
    for (const path of ['node_modules', 'client/node_modules'])
      cpSync(join(project, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  } else {
    console.log('It has other packages: installing them.')
    execFileSync('npm', ['ci', '--no-progress', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  }
}

/** Runs the development server of a checkout on the state, and acts on it. */
async function serving<Result>(
  root: string,
  state: string,
  act: (origin: string) => Promise<Result>,
): Promise<Result> {
  const port = await nextFree(8_900, 'localhost')
  const server = await startServer(port, { root, state }, () => {})
  try {
    return await act(server.origin)
  } finally {
    await server.stop()
  }
}

/** Runs the acceptance tests of a checkout; its smoke test, when it is older than they are. @throws Error when they fail */
async function accept(root: string, origin: string): Promise<void> {
  const script =
    ['scripts/acceptance.ts', 'scripts/smoke.ts'].find((path) => existsSync(join(root, path))) ?? ''
  const test = spawn(process.execPath, [script, origin], { cwd: root, stdio: 'inherit' })
  const [code] = await once(test, 'exit')
  if (code !== 0) throw new Error(`${script} of ${root} failed.`)
}

/** Paths whose answers must not change, of what a player has: rows, an object of saves, an inbox. */
const READ = ['/v1/files', '/v1/game/assets', '/v1/saves/upgrade', '/v1/notifications', '/v1/quota']

/** Has a player store something of each kind. Returns the answers to READ. */
async function store(origin: string, user_id: string): Promise<unknown[]> {
  const requests: Request[] = [
    { method: 'POST', path: '/v1/files', body: { name: 'before', asset_type: 'folder' } },
    {
      method: 'POST',
      path: '/v1/game/assets',
      body: { name: 'before', type: 'world', visibility: 'public' },
    },
    { method: 'PUT', path: '/v1/saves/upgrade', body: 'saved before' },
    {
      method: 'POST',
      path: '/v1/notifications',
      body: { user_id, type: 'studio.before', data: {} },
      scope: 'notifications:publish',
    },
  ]
  for (const request of requests) await ask(origin, user_id, request)
  return readAll(origin, user_id)
}

/** @throws AssertionError when an answer lacks a member that was there, or has another value for it */
async function requireStored(origin: string, user_id: string, stored: readonly unknown[]): Promise<void> {
  const answers = await readAll(origin, user_id)
  for (const [index, path] of READ.entries())
    partialDeepStrictEqual(answers[index], stored[index], `${path} has lost something.`)
}

function readAll(origin: string, user_id: string): Promise<unknown[]> {
  return Promise.all(READ.map((path) => ask(origin, user_id, { path })))
}

/** @throws Error when the request does not succeed */
async function ask(origin: string, user_id: string, request: Request): Promise<unknown> {
  const answer = await send(origin, user_id, request)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${nameOf(request)} answered ${answer.status}: ${text}`)
  return answer.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : text
}
