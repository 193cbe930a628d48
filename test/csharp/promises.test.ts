/** Promises that programs in C# keep: the name of each is in the source of its test, and printed after `ok` when it holds. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { developmentToken } from '../../scripts/development.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { built, outputFolder } from './build.ts'
import { promisesIn, runProgram } from './mono.ts'

const seed = process.env.PROVE_SEED ?? '20261121'
/** Random sequences of what may happen to a replica. */
const sequences = Number(process.env.PROVE_AMOUNT ?? 0) * 200 || 250

/** A service, and a file with tokens of twice as many users as there are promises. */
async function service(promises: string[]): Promise<string[]> {
  const { url } = await sharedServer('usual')
  const tokens = promises.flatMap(() => [newToken(), newToken()])
  const file = join(await outputFolder(), 'tokens')
  await writeFile(file, (await Promise.all(tokens)).join('\n'))
  return [url(), file]
}

const newToken = () => developmentToken(`csharp-${crypto.randomUUID()}`)
const nothing = async () => []

describe.each([
  {
    title: 'of requests in C#:',
    least: 40,
    folder: 'requests',
    scenario: 'tests of requests',
    words: nothing,
  },
  {
    title: 'of the part for Unity:',
    least: 8,
    folder: 'unity',
    scenario: 'tests of the part for Unity',
    words: nothing,
  },
  {
    title: 'an inbox in C#:',
    least: 40,
    folder: 'inbox',
    scenario: 'tests of the inbox',
    words: async () => [seed, String(sequences)],
  },
  {
    title: 'of saves in C#:',
    least: 50,
    folder: 'saves',
    scenario: 'tests of saves',
    words: (promises: string[]) => service(promises),
  },
  {
    title: 'of updates in C#:',
    least: 8,
    folder: 'updates',
    scenario: 'tests of updates',
    words: (promises: string[]) => service(promises), // content of some pieces has a checksum
  },
])('$title', async ({ least, folder, scenario, words }) => {
  const promises = await promisesIn(`test/csharp/${folder}`)
  let printed = ''

  beforeAll(async () => {
    const given = [scenario, ...(await words(promises))]
    printed = (await runProgram(built('tests.exe'), given)).printed
  }, 600_000)

  it('has promises', () => expect(promises.length).toBeGreaterThan(least))

  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})
