import { it } from 'vitest'
import { seeded } from '../../support/seeded.ts'
import { sharedServer } from '../shared-servers.ts'
import { killDevices } from './saves/kills.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const kills = amount || 6

const server = await sharedServer('proofs')

it(`loses no save of a device that is killed at ${kills} steps, and none that it has not seen`, () =>
  killDevices(server.url(), kills, amount > 0, seeded(seed)))
