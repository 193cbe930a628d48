import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { project } from './citations.ts'

const run = promisify(execFile)
const manifest = join(project, 'test/e2e/tools')
const installed = join(project, 'out/tools')

/**
 * Installs the compilers, bundlers and linters that single tests run, unless out/tools has those of the lockfile
 * (test/e2e/tools). They are not among the packages of the project: whoever tries the service needs none of them.
 */
export async function installTools(): Promise<void> {
  const lockfile = await readFile(join(manifest, 'package-lock.json'), 'utf8')
  const note = join(installed, 'installed-lockfile.json')
  if ((await readFile(note, 'utf8').catch(() => '')) === lockfile) return
  await rm(installed, { recursive: true, force: true })
  await mkdir(installed, { recursive: true })
  await writeFile(join(installed, 'package-lock.json'), lockfile)
  await writeFile(join(installed, 'package.json'), await readFile(join(manifest, 'package.json')))
  await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: installed })
  await writeFile(note, lockfile)
}

/** The folder of the tools, in which `node_modules` has them. @throws Error with what npm printed when they can't be installed */
export async function toolsFolder(): Promise<string> {
  const answer = await fetch(`${inject('sharedServers').url}/tools`)
  if (!answer.ok) throw new Error(await answer.text())
  return installed
}

/**
 * Runs a command of the tools, or one by its absolute path, with the project's Node. Returns what it prints, also when it ends with
 * findings, which it may exit for.
 */
export async function runTool(path: string, args: string[], cwd: string): Promise<string> {
  const at = resolve(await toolsFolder(), 'node_modules', path)
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return run(process.execPath, [at, ...args], { cwd, env, maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) =>
      stdout || stderr || 'It failed without a word.',
  )
}
