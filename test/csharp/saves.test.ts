import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { killDevices } from '../e2e/proofs/saves/kills.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { seeded } from '../support/seeded.ts'
import { built, outputFolder } from './build.ts'
import { runProgram } from './mono.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_124)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const kills = amount > 1 ? amount : 8

const server = await sharedServer('usual')
const output = await outputFolder()
const program = built('tests.exe')

const newToken = () => developmentToken(`csharp-${crypto.randomUUID()}`)

it(`a folder has the old or the new value after each of ${kills} kills`, async () => {
  const random = seeded(seed)
  const folder = join(output, 'kept')
  let last = 0
  for (let killed = 0; killed < kills; killed++) {
    const until = `set ${last + 1 + Math.floor(random() * 30)}.`
    const { printed, code } = await runProgram(program, ['a folder that keeps numbers', folder], {
      when: until,
    })
    expect(code, printed).toBeNull()
    const has = Number(/has (\d+)\./.exec(printed)?.[1])
    expect([last, last + 1], printed).toContain(has)
    last = Number([...printed.matchAll(/set (\d+)\./g)].at(-1)?.[1])
  }
}, 300_000)

it('processes that keep saves in one folder at the same time lose none of each other', async () => {
  const [token, folder] = [await newToken(), join(output, 'crowd')]
  const crowd = await Promise.all(
    ['one', 'two', 'three'].map((name) => runProgram(program, ['a crowded folder', folder, token, name])),
  )
  for (const { printed, code } of crowd) expect(code, printed).toBe(0)
  expect(crowd.map(({ printed }) => printed)).toContain('waiting 120\nok\n')
}, 120_000)

it('two processes over one folder send each save once, and meet no conflict with each other', async () => {
  const [token, folder] = [await newToken(), join(output, 'shared')]
  const both = await Promise.all(
    ['one', 'two'].map((name) => runProgram(program, ['a shared folder', folder, server.url(), token, name])),
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
  killDevices(server.url(), kills, amount > 1, seeded(seed), [
    '/usr/bin/mono',
    program,
    'a device that is killed',
  ]))
