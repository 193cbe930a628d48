import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { built } from './build.ts'
import { runProgram } from './mono.ts'

/** Newtonsoft's types for JSON trees. Its serializer goes by reflection, which IL2CPP breaks. */
const JSON_TREES =
  /^Newtonsoft\.Json\.(Linq\.\w+|Json(Converter|Exception|Reader|TextReader|TextWriter|Token|Writer)|Formatting|DateParseHandling)$/

/** Tasks that nobody can cancel, with the reason. */
const UNCANCELABLE: Record<string, string> = {
  'ISaveStore.GetAsync': 'A store of a device answers soon, and a change of it happens as a whole.',
  'ISaveStore.SetAsync': 'As GetAsync.',
  'ISaveStore.DeleteAsync': 'As GetAsync.',
  'FileSaveStore.GetAsync': 'It is an ISaveStore.',
  'FileSaveStore.SetAsync': 'It is an ISaveStore.',
  'FileSaveStore.DeleteAsync': 'It is an ISaveStore.',
  'MemorySaveStore.GetAsync': 'It is an ISaveStore.',
  'MemorySaveStore.SetAsync': 'It is an ISaveStore.',
  'MemorySaveStore.DeleteAsync': 'It is an ISaveStore.',
  'IPlatform.ComputeAsync': 'Its work takes a few milliseconds.',
  'DotnetPlatform.ComputeAsync': 'Its work takes a few milliseconds.',
  'ItemList`2+Reader.MoveNextAsync': 'GetAsyncEnumerator has taken the token.',
}

const { printed, code } = await runProgram(built('tests.exe'), [
  'the members of an assembly',
  built('core.dll'),
])
const told = printed.trimEnd().split('\n')

const named = (kind: string) =>
  told.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []))

it('the core uses types of .NET Standard 2.0 alone, and of Newtonsoft those of JSON trees', async () => {
  // Debian has no reference assembly of .NET Standard 2.0. A type that is missing in the list is added after a look at
  // learn.microsoft.com/dotnet/api, which says whether .NET Standard 2.0 has it.
  const list = await readFile(new URL('inspection/netstandard-types.txt', import.meta.url), 'utf8')
  const known = new Set(list.trim().split('\n'))
  expect(code, printed).toBe(0)
  const types = named('type')
  expect(types.length).toBeGreaterThan(100)
  expect(types.filter((type) => !known.has(type) && !JSON_TREES.test(type))).toEqual([])
})

it('every public method of the core that returns a task takes a CancellationToken last', () => {
  expect(named('method').length).toBeGreaterThan(90)
  const uncancelable = named('uncancelable').map((name) => name.replace('EdgeGameStorage.', ''))
  expect(uncancelable.toSorted()).toEqual(Object.keys(UNCANCELABLE).toSorted())
})

it('a public method ends in Async exactly if it returns a task, and methods of one name return one type', () => {
  expect(named('misnamed')).toEqual([])
  expect(named('ambiguous')).toEqual([])
})

it('no public member has a type of Newtonsoft, or is called Value', () => {
  expect(named('exposed')).toEqual([])
  expect(named('member').length).toBeGreaterThan(300)
  expect(named('member').filter((name) => name.endsWith('.Value'))).toEqual([])
})
