import { expect } from 'vitest'
import { type Program, Trial } from './trial.ts'

/** So many kills for each user: the service is to keep every revision, and it keeps 100 of a slot. */
const KILLS_OF_A_USER = 8

/**
 * Kills devices so many times, and requires what must hold of each. With `isEach` at every step in its turn, otherwise at some.
 * `program`: who plays, unless it is the client of this repository.
 */
export async function killDevices(
  url: string,
  kills: number,
  isEach: boolean,
  random: () => number,
  program?: Program,
): Promise<void> {
  const killed = new Map<string, number>()
  const count = () => [...killed.values()].reduce((sum, times) => sum + times, 0)
  let users = 0
  let recalled = 0
  /** Each step in its turn: the next kill is at the next step, until a process has not so many. */
  let step = isEach ? 1 : 1 + Math.floor(random() * 20)
  const stride = isEach ? 1 : 7
  while (count() < kills) {
    const trial = await Trial.begin(url, `${program ? 'program' : 'player'}-${users++}`, random, program)
    for (let of = 0; of < KILLS_OF_A_USER && count() + trial.count < kills; ) {
      const steps = await trial.play(step)
      if (steps === undefined) of++
      step = steps === undefined ? step + stride : 1 + (step % stride)
    }
    await trial.finish()
    recalled += trial.recalled
    for (const [name, times] of trial.killed) killed.set(name, (killed.get(name) ?? 0) + times)
  }
  expect(count()).toBe(kills)
  const kinds = [...killed].sort().map(([name, times]) => `${times} × ${name}`)
  console.log(`${kills} kills of ${users} devices, ${recalled} recalled saves: ${kinds.join('; ')}`)
  if (isEach) expect(recalled).toBeGreaterThan(0)
}
