/** The compiler and the runtime of C# that Debian has, and what is compiled with them. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { project } from '../../scripts/development.ts'

const run = promisify(execFile)

/** Debian's packages, and a file of each. */
export const PACKAGES = {
  'mono-mcs': '/usr/bin/mcs',
  'mono-runtime': '/usr/bin/mono',
  'libmono-system-net-http4.0-cil': '/usr/lib/mono/4.5/System.Net.Http.dll',
  'libnewtonsoft-json5.0-cil': '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll',
}

const REFERENCES = [`-r:${PACKAGES['libnewtonsoft-json5.0-cil']}`, '-r:System.Net.Http.dll']

/** The packages that this machine lacks. */
function missing(): string[] {
  return Object.entries(PACKAGES).flatMap(([name, file]) => (existsSync(file) ? [] : [name]))
}

/**
 * Installs what is missing, where that is allowed: as root on a system with apt-get.
 *
 * @throws Error that says what is missing and how to get it
 */
export async function requireMono(): Promise<void> {
  if (missing().length === 0) return
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`Installing ${missing().join(', ')} …`)
    const install = () => aptGet('install', '--yes', '--no-install-recommends', ...missing())
    await install().catch(async () => {
      await aptGet('update')
      await install()
    })
  }
  if (missing().length > 0)
    throw new Error(
      `The tests of the C# client need ${missing().join(', ')}: apt-get install ${missing().join(' ')}`,
    )
}

async function aptGet(...args: string[]): Promise<void> {
  await run('apt-get', ['--quiet', ...args], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/** The sources of the package that need no engine. */
export const coreSources = () => sources('engines/unity/Runtime', (path) => !path.includes('/Runtime/Unity/'))

/** The sources of the package with its part for Unity, and the stand-ins for the engine. */
export const unitySources = async () => [
  ...(await sources('engines/unity/Runtime')),
  ...(await sources('test/csharp/unity-stubs')),
]

/** What the tests below a folder promise: their names, which the program prints after `ok`. */
export async function promisesIn(folder: string): Promise<string[]> {
  const paths = await sources(folder)
  const texts = await Promise.all(paths.map((path) => readFile(join(project, path), 'utf8')))
  return texts.flatMap((text) =>
    [...text.matchAll(/^ {8}\{ "(.+)", \w+ \},$/gm)].map(([, name = '']) => name),
  )
}

/** The paths of the C# files below a folder. */
export async function sources(folder: string, isWanted = (_path: string) => true): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(`${folder}/**/*.cs`, { cwd: project })) found.push(path)
  return found.filter((path) => isWanted(`/${path}`)).toSorted()
}

/**
 * Compiles sources as C# 7.0, with warnings as errors. A `.exe` is a program, anything else a library.
 *
 * @throws Error with what the compiler printed
 */
export async function compile(output: string, files: string[], ...options: string[]): Promise<void> {
  const target = output.endsWith('.exe') ? 'exe' : 'library'
  const args = ['-langversion:7', '-warnaserror', `-target:${target}`, ...REFERENCES, ...options]
  try {
    await run('/usr/bin/mcs', [...args, `-out:${output}`, ...files], { cwd: project, maxBuffer: 2 ** 26 })
  } catch (error) {
    const printed = error instanceof Object && 'stderr' in error ? String(error.stderr) : ''
    throw new Error(`mcs: ${printed}`, { cause: error })
  }
}

/** Starts a program, in its own folder: a Mono that crashes leaves a file there. It finds what build.ts has compiled. */
export function startProgram(program: string, args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn('/usr/bin/mono', ['--debug', program, ...args], {
    cwd: dirname(program),
    env: { ...process.env, MONO_PATH: `/usr/lib/cli/Newtonsoft.Json-5.0:${inject('csharp')}` },
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  return child
}

/** What a program has printed, and its exit code: null when it was killed. */
export interface Ended {
  printed: string
  code: number | null
}

/**
 * Runs a program to its end, or kills it: `when` it has printed this text, or `after` this has resolved.
 *
 * @throws Error with what it printed, when it has died of another signal
 */
export function runProgram(
  program: string,
  args: string[],
  kill: { when?: string; after?: Promise<unknown> | undefined } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = startProgram(program, args)
    let printed = ''
    const read = (text: string) => {
      printed += text
      if (kill.when !== undefined && printed.includes(kill.when)) child.kill('SIGKILL')
    }
    void kill.after?.then(() => child.kill('SIGKILL'))
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === null || child.killed) resolve({ printed, code })
      else reject(new Error(`The program died of ${signal}:\n${printed}`))
    })
  })
}
