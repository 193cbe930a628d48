import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { killDevices } from '../e2e/proofs/saves/kills.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { seeded } from '../support/seeded.ts'
import { compile, outputFolder, promisesIn, requireMono, runProgram, testSources } from './mono.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_124)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const kills = amount > 1 ? amount : 8

const promises = await promisesIn('test/csharp/saves')

const server = await sharedServer('proofs')
let output = ''
let program = ''

beforeAll(async () => {
  await requireMono()
  output = await outputFolder()
  program = join(output, 'saves.exe')
  await compile(program, await testSources('test/csharp/saves'))
}, 300_000)

const newToken = () => developmentToken(`csharp-${crypto.randomUUID()}`)

describe('of saves in C#:', () => {
  let printed = ''
  beforeAll(async () => {
    const tokens = await Promise.all(Array.from({ length: 2 * promises.length }, newToken))
    await writeFile(join(output, 'tokens'), tokens.join('\n'))
    printed = (await runProgram(program, ['TEST', server.url(), join(output, 'tokens')])).printed
  }, 300_000)

  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})

it(`a folder has the old or the new value after each of ${kills} kills`, async () => {
  const random = seeded(seed)
  const folder = join(output, 'kept')
  let last = 0
  for (let killed = 0; killed < kills; killed++) {
    const until = `set ${last + 1 + Math.floor(random() * 30)}.`
    const { printed, code } = await runProgram(program, ['KEEP', folder], until)
    expect(code, printed).toBeNull()
    const has = Number(/has (\d+)\./.exec(printed)?.[1])
    expect([last, last + 1], printed).toContain(has)
    last = Number([...printed.matchAll(/set (\d+)\./g)].at(-1)?.[1])
  }
}, 300_000)

it('processes that keep saves in one folder at the same time lose none of each other', async () => {
  const [token, folder] = [await newToken(), join(output, 'crowd')]
  const crowd = await Promise.all(
    ['one', 'two', 'three'].map((name) => runProgram(program, ['CROWD', folder, token, name])),
  )
  for (const { printed, code } of crowd) expect(code, printed).toBe(0)
  expect(crowd.map(({ printed }) => printed.trim())).toContain('waiting 120')
}, 120_000)

it('two processes over one folder send each save once, and meet no conflict with each other', async () => {
  const [token, folder] = [await newToken(), join(output, 'shared')]
  const both = await Promise.all(
    ['one', 'two'].map((name) => runProgram(program, ['SHARE', folder, server.url(), token, name])),
  )
  for (const { printed, code } of both) expect(code, printed).toBe(0)
  expect(both.map(({ printed }) => printed).join('')).not.toContain('conflict')
  expect(both.some(({ printed }) => printed.includes('waiting 0'))).toBe(true)
  const { saves } = createClient({ baseUrl: server.url(), token })
  const slots = (await saves.list()).saves
  expect(slots).toHaveLength(11)
  for (const { slot } of slots) {
    const { revisions } = await saves.listRevisions({ slot })
    const written = await Promise.all(
      revisions.map(async ({ revision }) =>
        new TextDecoder().decode((await saves.read({ slot, revision })).bytes),
      ),
    )
    expect(new Set(written).size).toBe(written.length)
    expect(written[0]).toMatch(slot === 'shared' ? /9$/ : new RegExp(`${Number(slot.slice(3)) + 5}$`))
  }
}, 120_000)

it(`the C# client loses no save of a device that is killed at ${kills} steps, and none that it has not seen`, () =>
  killDevices(server.url(), kills, amount > 1, seeded(seed), ['/usr/bin/mono', program, 'PLAY']))
