/** @module-tag release */
import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { differenceOf, writeContent } from '../e2e/proofs/content.ts'
import { Cuts } from '../e2e/proofs/cuts.ts'
import { Tunnel } from '../e2e/proofs/tunnel.ts'
import { PART_BYTES, type SharedServer, sharedServer } from '../e2e/shared-servers.ts'
import { seeded } from '../support/seeded.ts'
import { outputFolder } from './build.ts'
import { platforms, play, runAlone } from './host.ts'
import { stateOf } from './state.ts'
import { transferScenarios } from './transfer-scenarios.ts'

const MIB = 1_024 ** 2
const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const size_bytes = amount ? 300 * MIB : 2 * PART_BYTES + 3
const cuts = amount || 4
const kills = Math.ceil(cuts / 4)

let server: SharedServer

// Not for a run without these tests.
beforeAll(async () => {
  server = await sharedServer('proofs')
}, 300_000)
const directory = await outputFolder()
const path = join(directory, 'level.bin')
let token = ''
let tunnel: Tunnel

beforeAll(() => writeContent(path, size_bytes, seed), 300_000)

const newToken = () => developmentToken(`sender-${crypto.randomUUID()}`)
beforeEach(async () => {
  token = await newToken()
  tunnel = await Tunnel.to(server.url())
})
afterEach(() => tunnel.close())

/** Runs a scenario in a process of its own, whose memory is measured. */
async function run(scenario: string, url: string, argument = '') {
  const { printed } = await runAlone(scenario, ['dotnet', url, token, argument])
  expect(printed.trimEnd().split('\n').at(-1), printed).toBe('ok')
  return { told: (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(printed)?.[1] }
}

const direct = () => createClient({ baseUrl: server.url(), token })

/** Requires that a file has the bytes that were to be sent. */
async function expectSent(id = ''): Promise<void> {
  const { url } = await direct().files.getUrl({ id })
  expect(await differenceOf(url, path)).toBeUndefined()
}

describe.each(Object.keys(transferScenarios))('"%s"', (scenario) => {
  let stateOfTheirs: object
  beforeAll(async () => {
    const theirs = { url: server.url(), token: await newToken(), expired: '' }
    await transferScenarios[scenario]?.(theirs)
    stateOfTheirs = await stateOf(createClient({ baseUrl: theirs.url, token: theirs.token }))
  })

  it.each(platforms)(
    'leaves the service as the TypeScript client leaves it, on the platform %s',
    async (platform) => {
      await play(platform, scenario, server.url(), token)
      expect(await stateOf(direct())).toEqual(stateOfTheirs)
    },
  )
})

it(`sends the same bytes, though the network is cut ${cuts} times`, async () => {
  const met = new Cuts(tunnel, seeded(seed), { most: cuts, partSize: PART_BYTES })
  let uploads = 0
  let memory = 0
  while (!met.areDone) {
    const argument = `${path}|level-${uploads}.bin`
    const { told } = await met.during(() => run('send', tunnel.origin, argument))
    await expectSent(told('file'))
    uploads++
    memory = Math.max(memory, Number(told('memory')))
  }
  expect((await direct().quota.get()).used_bytes).toBe(uploads * size_bytes)
  console.log(`Mono: ${uploads} uploads of ${size_bytes} bytes, ${Math.round(memory / MIB)} MiB; ${met}`)
})

it(`is resumed by another process with the id alone, ${kills} times after a SIGKILL`, async () => {
  const random = seeded(seed + 1)
  let id: string | undefined
  let killed = 0
  const files: string[] = []
  while (killed < kills || id !== undefined) {
    const isLast = killed >= kills
    const argument = `${path}|level-${files.length}.bin${id === undefined ? '' : `|${id}`}`
    const moment = { traffic: 'bucket', direction: 'up', bytes: 1 + random() * 0.4 * size_bytes } as const
    const reached = isLast ? undefined : tunnel.reach(moment)
    const sender = await runAlone('send', ['dotnet', tunnel.origin, token, argument], { after: reached })
    tunnel.disarm()
    const file = /^file (.*)$/m.exec(sender.printed)?.[1]
    if (file === undefined) {
      expect(sender.code, sender.printed).toBeNull()
      id = /^started (.*)$/m.exec(sender.printed)?.[1] ?? id
      killed++
    } else {
      files.push(file)
      await expectSent(file)
      id = undefined
    }
  }
  expect((await direct().quota.get()).used_bytes).toBe(files.length * size_bytes)
  console.log(`Mono: ${killed} processes killed in ${files.length} uploads of ${size_bytes} bytes`)
})

it(`receives the same bytes, though the network is cut ${cuts} times, and goes on where a killed process ended`, async () => {
  const random = seeded(seed + 2)
  const { told } = await run('send', server.url(), `${path}|level.bin`)
  const received = join(directory, 'received.bin')
  await copyFile(path, received)
  await truncate(received, Math.floor(size_bytes / 3))
  let met = 0
  const isOver = new AbortController()
  const cutting = async () => {
    while (met < cuts && !isOver.signal.aborted) {
      await tunnel.cutAt({
        traffic: 'bucket',
        direction: 'down',
        bytes: 1 + random() * (size_bytes / (2 * cuts)),
      })
      met++
    }
  }
  void cutting()
  await run('receive', tunnel.origin, `${received}|${told('file')}`)
  isOver.abort()
  tunnel.disarm()
  expect(met).toBeGreaterThan(0)
  expect((await stat(received)).size).toBe(size_bytes)
  const { url } = await direct().files.getUrl({ id: told('file') ?? '' })
  expect(await differenceOf(url, received)).toBeUndefined()
  console.log(`Mono: a download of ${size_bytes} bytes; ${met} cuts`)
})
