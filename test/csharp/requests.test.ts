import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, outputFolder, promisesIn, requireMono, runProgram, testSources } from './mono.ts'

const promises = await promisesIn('test/csharp/requests')
let printed = ''

beforeAll(async () => {
  await requireMono()
  const program = join(await outputFolder(), 'requests.exe')
  await compile(program, await testSources('test/csharp/requests'))
  printed = (await runProgram(program, [])).printed
}, 300_000)

describe('of requests in C#:', () => {
  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})
