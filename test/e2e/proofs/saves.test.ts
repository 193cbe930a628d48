import { expect, it } from 'vitest'
import { seeded } from '../../support/seeded.ts'
import { sharedServer } from '../shared-servers.ts'
import { Trial } from './saves/trial.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const kills = amount || 8
/** So many kills for each user: the service is to keep every revision, and it keeps 100 of a slot. */
const KILLS_OF_A_USER = 8

const server = await sharedServer('proofs')

it(`loses no save of a device that is killed at ${kills} steps, and none that it has not seen`, async () => {
  const random = seeded(seed)
  const killed = new Map<string, number>()
  const count = () => [...killed.values()].reduce((sum, times) => sum + times, 0)
  let users = 0
  /** Each step in its turn: the next kill is at the next step, until a process has not so many. */
  let step = amount ? 1 : 1 + Math.floor(random() * 20)
  const stride = amount ? 1 : 7
  while (count() < kills) {
    const trial = await Trial.begin(server.url(), `player-${users++}`, random)
    for (let of = 0; of < KILLS_OF_A_USER && count() + trial.count < kills; ) {
      const steps = await trial.play(step)
      if (steps === undefined) of++
      step = steps === undefined ? step + stride : 1 + (step % stride)
    }
    await trial.finish()
    for (const [name, times] of trial.killed) killed.set(name, (killed.get(name) ?? 0) + times)
  }
  expect(count()).toBe(kills)
  const kinds = [...killed].sort().map(([name, times]) => `${times} × ${name}`)
  console.log(`${kills} kills of ${users} devices: ${kinds.join('; ')}`)
})
