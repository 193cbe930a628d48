import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { outputFolder } from './build.ts'
import { runAlone } from './host.ts'

/** The client downloads so many bytes at a time. */
const PIECE_BYTES = 8 * 1_024 ** 2

const server = await sharedServer('usual')
const output = await outputFolder()
const content = randomBytes(2 * PIECE_BYTES + 3)
let words: (folder: string) => string[]

beforeAll(async () => {
  const token = await developmentToken(`csharp-${crypto.randomUUID()}`)
  const { assets } = createClient({ baseUrl: server.url(), token })
  const { asset } = await assets.upload({ content, asset_type: 'world', name: 'Castle' })
  words = (folder) => ['dotnet', server.url(), token, `${folder}|${asset.id}`]
}, 300_000)

/** Requires that a folder has the content and nothing that is begun. */
async function expectInstalled(folder: string): Promise<void> {
  const names = await readdir(folder)
  const [name = '', ...others] = names.filter((one) => one.endsWith('.content'))
  expect(others).toEqual([])
  expect((await readFile(join(folder, name))).equals(content)).toBe(true)
  expect(names.filter((one) => one.endsWith('.part'))).toEqual([])
}

it('an update of a process that was killed goes on in the next one', async () => {
  const folder = join(output, 'killed')
  const first = await runAlone('an update', words(folder), { when: `received ${2 * PIECE_BYTES}.` })
  expect(first.code, first.printed).toBeNull()
  expect((await readdir(folder)).filter((name) => name.endsWith('.content'))).toEqual([])
  const next = await runAlone('an update', words(folder))
  expect(next.code, next.printed).toBe(0)
  expect(Number(/received (\d+)\./.exec(next.printed)?.[1])).toBeGreaterThanOrEqual(PIECE_BYTES)
  await expectInstalled(folder)
}, 300_000)

it('of processes that update one folder at the same time, one downloads', async () => {
  const folder = join(output, 'shared')
  const all = await Promise.all([1, 2].map(() => runAlone('an update', words(folder))))
  for (const { code, printed } of all) expect(code, printed).toBe(0)
  expect(all.filter(({ printed }) => printed.includes('received'))).toHaveLength(1)
  await expectInstalled(folder)
}, 300_000)
