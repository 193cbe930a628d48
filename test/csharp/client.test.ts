import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken, project } from '../../scripts/development.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { built, outputFolder } from './build.ts'
import { modelExamples, referenceExamples } from './examples.ts'
import { platforms, play, runAlone } from './host.ts'
import type { Recipient } from './inbox-scenario.ts'
import { compile, coreSources, runProgram, sources, unitySources } from './mono.ts'
import { scenarios } from './scenarios.ts'
import { inboxOf, stateOf } from './state.ts'

const output = await outputFolder()
const server = await sharedServer('usual')

async function player(): Promise<Recipient> {
  const user = `csharp-${crypto.randomUUID()}`
  const [token, expired, social] = await Promise.all([
    developmentToken(user),
    developmentToken(user, { expires_in: -3_600 }),
    developmentToken('social', { scope: 'notifications:publish' }),
  ])
  return { url: server.url(), token, expired, user, social }
}

async function stateFor({ url, token }: Recipient): Promise<object> {
  const client = createClient({ baseUrl: url, token })
  return { ...(await stateOf(client)), inbox: await inboxOf(client) }
}

describe('the sources', () => {
  it('compile as C# 7 for a player in a browser, as they compile without an engine (build.ts)', async () => {
    await compile(join(output, 'browser.dll'), await unitySources(), '-define:UNITY_WEBGL')
  })

  it('never block, and wait for time only by their platform', async () => {
    const blocking =
      /(?<!UnityWebRequest)\.Result\b(?!\w)|\.Wait\(|GetResult\(|Thread\.Sleep|ConfigureAwait|\.WaitOne/
    const ofThreads = /Task\.(Run|Delay)|CancelAfter\(\w|new Timer/
    const found = await Promise.all(
      (await sources('engines/unity/Runtime')).map(async (path) => {
        const text = await readFile(join(project, path), 'utf8')
        const isPlatform = /\/(DotnetPlatform|UnityPlatform)\.cs$/.test(path)
        const lines = text
          .split('\n')
          .filter((line) => blocking.test(line) || (!isPlatform && ofThreads.test(line)))
        return lines.map((line) => `${path}: ${line.trim()}`)
      }),
    )
    const own = 'engines/unity/Runtime/Transport/Transport.cs: async Task CancelAfterAsync('
    expect(
      found.flat().filter((line) => !line.startsWith(own) && !line.includes('= CancelAfterAsync(ended,')),
    ).toEqual([])
  })

  it('name no engine in the core', async () => {
    const texts = await Promise.all(
      (await coreSources()).map((path) => readFile(join(project, path), 'utf8')),
    )
    expect(texts.filter((text) => /using UnityEngine/.test(text))).toEqual([])
  })

  it('have a method for every operation of the description and no other, and a constant for every code', async () => {
    const read = (path: string) => readFile(join(project, path), 'utf8')
    const description = await read('docs/openapi.json')
    const operations = [...description.matchAll(/"operationId": ?"(\w+)"/g)].map(([, id = '']) => id)
    const source = await read('engines/unity/Runtime/Generated/Operations.cs')
    const methods = [...source.matchAll(/^ {8}(?:public|internal) [\w<>, ]+ (\w+)\(/gm)].map(
      ([, name = '']) => name,
    )
    const named = operations.filter((id) => id !== 'openSocket')
    const names = methods.map((name) => name.replace(/Async$/, ''))
    expect(names.toSorted()).toEqual(named.map((id) => id.charAt(0).toUpperCase() + id.slice(1)).toSorted())
    // Those about saves are steps of `GameStorage.Saves`.
    const hidden = [...source.matchAll(/^ {8}internal [\w<>, ]+ (\w+)\(/gm)].map(([, name = '']) => name)
    expect(hidden).toHaveLength(operations.filter((id) => /Saves?$|SaveRevisions$/.test(id)).length)
    const constants = await read('engines/unity/Runtime/Generated/ErrorCodes.cs')
    const codes = (await read('docs/errors.md')).match(/(?<=^### )[A-Z_]+$/gm) ?? []
    expect(codes.length).toBeGreaterThan(40)
    const missing = codes.filter((code) => !constants.includes(`= "${code}";`))
    expect(missing).toEqual([])
  })

  it('have the version of the service, as the package and the User-Agent say it', async () => {
    const read = (path: string) => readFile(join(project, path), 'utf8')
    const { version }: { version: string } = JSON.parse(await read('package.json'))
    expect(JSON.parse(await read('engines/unity/package.json'))).toMatchObject({ version })
    expect(await read('engines/unity/Runtime/Transport/UserAgent.cs')).toContain(
      `edge-game-storage-csharp/${version}`,
    )
  })
})

describe('the generated sources', () => {
  it('read the example of each schema that answers have, and send that of each that requests have', async () => {
    const examples = modelExamples()
    expect(examples.length).toBeGreaterThan(80)
    const list = join(output, 'models.json')
    await writeFile(list, JSON.stringify(examples))
    const { printed } = await runProgram(built('tests.exe'), ['the examples of models', list])
    expect(printed).toBe('Done.\nok\n')
  })

  it('have what every example of the reference calls', async () => {
    const { source, count } = referenceExamples()
    expect(count).toBeGreaterThan(80)
    const file = join(output, 'Examples.cs')
    await writeFile(file, source)
    await compile(join(output, 'examples.dll'), [file], `-r:${built('core.dll')}`, '-nowarn:219')
  })
})

describe.each(Object.keys(scenarios))('"%s"', (scenario) => {
  let stateOfTheirs: object
  beforeAll(async () => {
    const theirs = await player()
    await scenarios[scenario]?.(theirs)
    stateOfTheirs = await stateFor(theirs)
  })

  const leavesTheSame = async (platform: string) => {
    const ours = await player()
    await play(platform, scenario, ours.url, ours.token, ours.expired, ours.user, ours.social)
    expect(await stateFor(ours)).toEqual(stateOfTheirs)
  }
  const [first = '', ...others] = platforms
  it(
    `leaves the service as the TypeScript client leaves it, on the platform ${first}`,
    { timeout: 60_000 },
    () => leavesTheSame(first),
  )
  it.each(others)(
    'leaves the service as the TypeScript client leaves it, on the platform %s',
    { timeout: 60_000, tags: 'release' },
    leavesTheSame,
  )
})

it('the newest save that was written without a network is sent by the next process, and none twice, whenever the first is killed', async () => {
  for (const written of [1, 20]) {
    const ours = await player()
    const folder = join(output, `saves-${written}`)
    const words = ['dotnet', ours.url, ours.token, folder]
    const killed = await runAlone('offline, killed', words, { when: `written ${written}.` })
    expect(killed.code, killed.printed).toBeNull()
    const next = await runAlone('offline, after the kill', words)
    expect(next.code, next.printed).toBe(0)
    const { saves } = createClient({ baseUrl: ours.url, token: ours.token })
    const { revisions } = await saves.listRevisions({ slot: 'auto' })
    const texts = await Promise.all(
      revisions.map(async ({ revision }) => {
        const { bytes } = await saves.read({ slot: 'auto', revision })
        return new TextDecoder().decode(bytes).replaceAll('.', '')
      }),
    )
    // A write may have ended in the store before its line was printed.
    const last = Number(/.*written (\d+)\./s.exec(killed.printed)?.[1])
    expect([String(last), String(last + 1)]).toContain(texts[0])
    // What was being sent when the network was cut may have arrived, so it is sent again before what is newer.
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts.length).toBeLessThanOrEqual(2)
  }
}, 120_000)
