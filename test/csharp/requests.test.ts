import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, coreSources, outputFolder, promisesIn, requireMono, runProgram, sources } from './mono.ts'

const tests = await sources('test/csharp/requests')
const promises = await promisesIn(tests)
let printed = ''

beforeAll(async () => {
  await requireMono()
  const program = join(await outputFolder(), 'requests.exe')
  // With the client in one program, tests reach its parts.
  await compile(program, [...(await coreSources()), ...tests, 'test/csharp/saves/Expecting.cs'])
  printed = (await runProgram(program, [])).printed
}, 300_000)

describe('of requests in C#:', () => {
  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})
