/** @module-tag release */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken, project } from '../../scripts/development.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { ihdr, png, pngOf } from '../support/pictures.ts'
import { built, outputFolder } from './build.ts'
import { platforms } from './host.ts'
import { compile, promisesIn, runProgram, sources } from './mono.ts'

const SAMPLES = 'engines/unity/Samples~'

/** Each sample is imported alone, so all have these files. */
const SHARED = ['Activity.cs', 'Buttons.cs', 'Problems.cs', 'SignInForm.cs', 'Ui.cs']

/** The tests of a sample, by the folder of the sample. */
const TESTS = { OfflineWorlds: 'offline', SaveSlotMenu: 'saves', WorldBrowser: 'worlds' }

/** What the programs of the tests share. */
const support = [...(await sources('test/csharp/samples/screen')), ...(await sources('test/csharp/support'))]

const read = (path: string) => readFile(join(project, path), 'utf8')

/** What the worlds of this run have, and no other. */
const TAG = `tag-${crypto.randomUUID().slice(0, 18)}`

/** A download takes three pieces. */
const CONTENT_BYTES = 17 * 1_024 ** 2

/** The picture of "Hedge maze", which is wider than the others'. */
const wide = pngOf(ihdr(3, 1))

/** Publishes the worlds that test/csharp/samples/worlds/Fixture.cs describes. */
async function publishWorlds(url: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const creator = createClient({
    baseUrl: url,
    token: await developmentToken(`csharp-${crypto.randomUUID()}`),
  })
  const publish = async (name: string, tags: string[], bytes: Blob, picture = png) => {
    const { asset } = await creator.assets.upload({
      content: bytes,
      asset_type: 'world',
      name,
      tags: [TAG, ...tags],
    })
    await creator.assets.setPreview({ id: asset.id, content: new Blob([picture]), mime_type: 'image/png' })
    return creator.assets.edit({ id: asset.id, visibility: 'public' })
  }
  const glass = await publish('Glass maze', ['horror', 'maze'], new Blob(['walls of glass']))
  await publish('Hedge maze', ['maze'], new Blob(['walls of leaves']), wide)
  const dark = await publish('Dark keep', ['horror'], new Blob([content]))
  for (let number = 1; number <= 13; number++)
    await creator.assets.create({ name: `World ${number}`, type: 'world', visibility: 'public', tags: [TAG] })
  const description = 'You see the way out. <b>You do not see the walls.</b>'
  // Updated in a later second than the other, so that the order is known.
  for (let updated_at = 0; updated_at <= dark.updated_at; )
    ({ updated_at } = await creator.assets.edit({ id: glass.id, description }))
}

const output = await outputFolder()
const server = await sharedServer('usual')
const content = join(output, 'content')

beforeAll(async () => {
  const bytes = new Uint8Array(randomBytes(CONTENT_BYTES))
  await writeFile(content, bytes)
  await publishWorlds(server.url(), bytes)
}, 300_000)

const tokens = (count: number) =>
  Promise.all(Array.from({ length: count }, () => developmentToken(`csharp-${crypto.randomUUID()}`)))

describe('the samples', () => {
  it('are registered in the package, each with what it needs to be imported alone', async () => {
    const { samples }: { samples: { path: string; displayName: string; description: string }[] } = JSON.parse(
      await read('engines/unity/package.json'),
    )
    expect(samples.map(({ path }) => path).toSorted()).toEqual(
      Object.keys(TESTS).map((sample) => `Samples~/${sample}`),
    )
    for (const { path, displayName, description } of samples) {
      expect(`${displayName}${description}`).not.toBe('')
      expect(await read(`engines/unity/${path}/README.md`)).toContain('npm run token')
      const [name = ''] = path.split('/').slice(-1)
      const assembly: unknown = JSON.parse(await read(`engines/unity/${path}/${name}.asmdef`))
      expect(assembly).toMatchObject({
        name: `EdgeGameStorage.Samples.${name}`,
        references: ['EdgeGameStorage', 'UnityEngine.UI', 'Unity.InputSystem'],
        versionDefines: [{ name: 'com.unity.inputsystem', define: 'EDGE_GAME_STORAGE_INPUT_SYSTEM' }],
      })
    }
  })

  it.each(SHARED)('have the same %s', async (file) => {
    const [one, ...others] = await Promise.all(
      Object.keys(TESTS).map((sample) => read(`${SAMPLES}/${sample}/${file}`)),
    )
    for (const other of others) expect(other).toBe(one)
  })

  it('never block, need no thread, and handle the errors of each async void', async () => {
    const files = await sources(SAMPLES)
    expect(files.length).toBeGreaterThan(10)
    for (const file of files) {
      const text = await read(file)
      expect(text, file).not.toMatch(
        /(?<!UnityWebRequest)\.Result\b|\.Wait\(|GetResult\(|Thread\.|Task\.(Run|Delay)|CancelAfter|WaitAll/,
      )
      for (const [, body = ''] of text.matchAll(/async void .*?\n {8}\{\n(.*?)\n {8}\}/gs))
        expect(body, file).toMatch(/^ {12}(try\n.*catch \(Exception error\)|await RunAsync\(doing, act\);$)/s)
    }
  })
})

describe.each(Object.entries(TESTS))('the sample %s', async (sample, tests) => {
  const promises = await promisesIn(`test/csharp/samples/${tests}`)
  const files = await sources(`${SAMPLES}/${sample}`)
  let program = ''

  beforeAll(async () => {
    program = join(output, `${tests}.exe`)
    const own = await sources(`test/csharp/samples/${tests}`)
    await compile(program, [...files, ...own, ...support], `-r:${built('package.dll')}`)
  }, 300_000)

  it('compiles with the Input System, too', async () => {
    const defined = ['-define:ENABLE_INPUT_SYSTEM', '-define:EDGE_GAME_STORAGE_INPUT_SYSTEM']
    await compile(join(output, `${sample}.dll`), files, `-r:${built('package.dll')}`, ...defined)
  })

  describe.each(platforms.filter((platform) => platform !== 'dotnet'))('on the platform %s', (platform) => {
    let printed = ''
    beforeAll(async () => {
      const [users, folder] = [join(output, `${tests}.tokens`), join(output, `${tests}-${platform}`)]
      await mkdir(folder)
      await writeFile(users, (await tokens(2 * promises.length)).join('\n'))
      printed = (await runProgram(program, [platform, server.url(), users, folder, TAG, content])).printed
    }, 300_000)

    it.each(promises)('%s', (promise) => {
      expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
    })
  })
})
