import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken, project } from '../../scripts/development.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { built, outputFolder } from './build.ts'
import { compile, coreSources, runProgram, sources } from './mono.ts'

it('the node for Godot writes and reads on the main thread, and closes when it leaves the tree', async () => {
  const server = await sharedServer('usual')
  const token = await developmentToken(`csharp-${crypto.randomUUID()}`)
  const words = ['the node for Godot', server.url(), token, await outputFolder()]
  const { printed } = await runProgram(built('tests.exe'), words)
  expect(printed).toBe('ok\n')
  const { bytes, label } = await createClient({ baseUrl: server.url(), token }).saves.read({ slot: 'auto' })
  expect([new TextDecoder().decode(bytes), label]).toEqual(['three towers', 'Three towers'])
}, 120_000)

it('the node and the code of the guide for Godot compile with the core alone, and its project takes the sources that are compiled here', async () => {
  const page = await readFile(join(project, 'docs/godot.md'), 'utf8')
  const examples = [...page.matchAll(/^```csharp\n(.*?)^```$/gms)].map(([, code = '']) => code)
  expect(examples).toHaveLength(1)
  const output = await outputFolder()
  const file = join(output, 'guide.cs')
  const around = `using System.Threading.Tasks; using EdgeGameStorage; using Godot;
    static class Login { public static Task<string> GetTokenAsync(bool renew) { return Task.FromResult(""); } }`
  const [example = ''] = examples
  await writeFile(file, `${around}\n${example.replace('{', '{ byte[] bytes { get; set; }')}`)
  const node = [...(await sources('engines/godot')), ...(await sources('test/csharp/godot-stubs'))]
  await compile(join(output, 'guide.dll'), [file, ...node], `-r:${built('core.dll')}`)

  const included = /Include="\.\.\/edge-game-storage\/(.+?)\/\*\*\/\*\.cs"/.exec(page)?.[1] ?? ''
  const excluded = /Exclude="\.\.\/edge-game-storage\/(.+?)\/\*\*"/.exec(page)?.[1] ?? ''
  const taken = await sources(included, (path) => !path.startsWith(`/${excluded}/`))
  expect(taken).toEqual(await coreSources())
})
