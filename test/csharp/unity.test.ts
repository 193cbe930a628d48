import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, outputFolder, promisesIn, requireMono, runProgram, sources, unitySources } from './mono.ts'

const promises = await promisesIn('test/csharp/unity')
let printed = ''

beforeAll(async () => {
  await requireMono()
  const program = join(await outputFolder(), 'unity.exe')
  await compile(program, [
    ...(await unitySources()),
    ...(await sources('test/csharp/support')),
    ...(await sources('test/csharp/unity')),
  ])
  printed = (await runProgram(program, [])).printed
}, 300_000)

describe('of the part for Unity:', () => {
  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})
