import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { project } from '../../scripts/development.ts'
import { blocksOf } from '../e2e/guides.ts'
import { built, outputFolder } from './build.ts'
import { compile, runProgram, sources } from './mono.ts'

const PACKAGE = 'engines/unity'

const read = (path: string) => readFile(join(project, PACKAGE, path), 'utf8')

it('the Unity package says who made it, where its pages are, and what is in its version', async () => {
  const { version, author, documentationUrl, samples } = JSON.parse(await read('package.json'))
  expect(author.name).toBe('The authors of Edge game storage')
  expect(
    existsSync(join(project, 'docs', `${new URL(documentationUrl).pathname.split('/').at(-1)}.md`)),
  ).toBe(true)
  expect(await read('CHANGELOG.md')).toContain(`\n## ${version}`)
  const paths = [...samples.map(({ path }: { path: string }) => path), 'Documentation~/index.md', 'README.md']
  expect(paths.filter((path) => !existsSync(join(project, PACKAGE, path)))).toEqual([])
})

it('the pages of the Unity package name members that the package has', async () => {
  const texts = await Promise.all(
    (await sources(`${PACKAGE}/Runtime`)).map((path) => readFile(join(project, path), 'utf8')),
  )
  const code = new Set(texts.join('\n').match(/\w+/g))
  const named = (await read('Documentation~/index.md')).match(/\b(?:[A-Z]\w*Async|[A-Z]\w+(?=\.\w))\b/g) ?? []
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => name !== 'README' && !code.has(name))).toEqual([])
  const [block = ''] = blocksOf('../engines/unity/README.md', 'csharp')
  const file = join(await outputFolder(), 'Readme')
  await writeFile(
    `${file}.cs`,
    `using System.Text; using System.Threading.Tasks; using EdgeGameStorage; static class Readme { static async Task Run(string token) { ${block} } }`,
  )
  await compile(`${file}.dll`, [`${file}.cs`], `-r:${built('core.dll')}`, '-nowarn:219')
})

it('the tests of the Unity package pass, in a player without an engine', async () => {
  const { printed } = await runProgram(built('tests.exe'), ['tests of the package', await outputFolder()])
  const names = [...(await read('Tests/Runtime/PlayerTests.cs')).matchAll(/public IEnumerator (\w+)\(/g)]
  expect(names.length).toBeGreaterThan(4)
  expect(printed).toBe(names.map(([, name]) => `ok ${name}\n`).join(''))
}, 300_000)
