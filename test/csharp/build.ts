/** Compiles what the files of this folder share, once for all of them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { project } from '../../scripts/development.ts'
import { compile, coreSources, requireMono, sources, unitySources } from './mono.ts'

const BROWSER_SOCKET = 'engines/unity/Runtime/Unity/BrowserSocket.cs'

/** What is compiled, by the names of its files. */
const builds = {
  /** The core alone, with its comments, whose references have to lead somewhere; not every member needs one. */
  'core.dll': async (output: string) => {
    await compile(output, await coreSources(), `-doc:${output}.xml`, '-nowarn:1571,1572,1573,1591')
  },
  /** The package with its part for Unity: against it, code reaches only what is public, as in a game. */
  'package.dll': async (output: string) => compile(output, await unitySources()),
  /** The program of all tests (Host.cs), together with the package, so that tests reach its steps. */
  'tests.exe': async (output: string) => compile(output, await testSources()),
}

/** All C# but the samples with their tests, and the guides. */
const testSources = async () => [
  ...(await sources('engines', (path) => !path.includes('/Samples~/'))),
  ...(await sources('test/csharp', (path) => !/\/csharp\/(samples|guides)\//.test(path))),
]

export default async function setup(vitest: TestProject): Promise<() => Promise<void>> {
  await requireMono()
  const folder = await mkdtemp(join(tmpdir(), 'csharp-'))
  await Promise.all(Object.entries(builds).map(([name, build]) => build(join(folder, name))))
  vitest.provide('csharp', folder)
  return () => rm(folder, { recursive: true })
}

/** The path of what is compiled. */
export const built = (name: keyof typeof builds) => join(inject('csharp'), name)

/** A folder for what a file of tests compiles itself, or writes. It goes with what is compiled here. */
export const outputFolder = () => mkdtemp(join(inject('csharp'), 'tests-'))

let compiling: Promise<string> | undefined

/**
 * The path of the program of all tests as a browser's player, whose sockets are those of the browser: the functions that
 * BrowserSocket.cs imports from Socket.jslib are those of the stand-in `BrowserSockets`. It is compiled when a test of this process
 * first needs it.
 */
export function builtForBrowser(): Promise<string> {
  compiling ??= compileForBrowser()
  return compiling
}

async function compileForBrowser(): Promise<string> {
  const output = join(await outputFolder(), 'browser.exe')
  const text = await readFile(join(project, BROWSER_SOCKET), 'utf8')
  const linked = text.replace(
    /\[DllImport\("__Internal"\)\]\s+static extern (\w+) (\w+)\(([^)]*)\);/g,
    (_, type: string, name: string, parameters: string) => {
      const given = parameters.split(', ').map((parameter) => parameter.split(' ')[1])
      const call = `UnityEngine.BrowserSockets.${name}(${given.join(', ')});`
      return `static ${type} ${name}(${parameters}) { ${type === 'void' ? call : `return ${call}`} }`
    },
  )
  const file = `${output}.BrowserSocket.cs`
  await writeFile(file, linked)
  const others = (await testSources()).filter((path) => path !== BROWSER_SOCKET)
  await compile(output, [...others, file], '-define:UNITY_WEBGL')
  return output
}
