/** Compiles and runs C# with what Debian has: mcs and mono. */
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { project } from './citations.ts'

const run = promisify(execFile)
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll'

/** What is missing to compile and run C#; undefined when all is there. `npm run prove:csharp` installs it. */
export const missing = ['/usr/bin/mcs', '/usr/bin/mono', NEWTONSOFT].find((path) => !existsSync(path))
if (missing) console.warn(`The tests of the C# client are skipped: this machine has no ${missing}.`)

/** The sources of the C# client without those for Unity. */
export const clientSources = () =>
  globSync('engines/unity/Runtime/**/*.cs', {
    cwd: project,
    exclude: (path) => path === 'engines/unity/Runtime/Unity',
  }).map((path) => join(project, path))

/** Compiles sources with warnings as errors. Returns what the compiler says: '' when it has nothing to say. */
export async function compile(sources: string[], output: string, options: string[] = []): Promise<string> {
  const { stdout, stderr } = await run('mcs', [
    '-langversion:7',
    '-warnaserror',
    `-r:${NEWTONSOFT}`,
    '-r:System.Net.Http.dll',
    ...options,
    `-out:${output}`,
    ...sources,
  ]).catch((error: { stdout: string; stderr: string }) => error)
  return stdout + stderr
}

/** Runs a program that was compiled, and returns what it prints. */
export async function execute(program: string, args: string[]): Promise<string> {
  const { stdout, stderr } = await run('mono', [program, ...args]).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}
