import { expect, inject } from 'vitest'
import { eraseUser } from '../../../src/operators/erasure/erase.ts'
import { pairWithBucket } from '../../../src/platform/storage/pairing.ts'
import { contextOf } from '../../support/context.ts'
import { databaseNames } from '../../support/databases.ts'
import { expectNothingSuperfluous, expectSound } from '../../support/invariants.ts'
import { expectRecordsAndObjectsAgree, jobIn, runEach, runJobIn } from '../../support/objects.ts'
import { chances } from '../../support/race.ts'
import { missing } from '../content/tasks.ts'
import { Clock } from './clock.ts'
import { Met, Round } from './round.ts'

/** A round takes as long as four of other races. */
const ROUNDS = Math.max(2, Math.ceil(inject('proof').rounds / 3))

/** Days go by without requests, more than the job ever relies on a hint. */
async function rest(clock: Clock): Promise<void> {
  for (const days of [1, 1, 35]) {
    clock.goOn(days * 1_440)
    for (const { failed } of await runEach(clock.days)) expect(failed).toBeUndefined()
  }
  clock.goOn(35 * 1_440)
  await runJobIn(clock.days)
  expect(await missing()).toEqual([])
  await expectRecordsAndObjectsAgree()
  await expectNothingSuperfluous()
}

/** Rounds, one after another, and at the end everybody is erased. `needed`: what the rounds have to meet. */
export async function proveLinks(needed: readonly string[]): Promise<void> {
  const [clock, met, users] = [new Clock(), new Met(), [] as string[]]
  for (const name of databaseNames) await pairWithBucket(jobIn(0, name))
  // From its first run on, the job learns which markers to remove from those who purge branches.
  await runJobIn(0)
  await chances({ count: ROUNDS }, async ({ seed }) => {
    const round = new Round(seed, clock, met)
    users.push(...round.users)
    await round.run()
  })
  console.log(String(met))
  for (const what of needed) expect(met.of(what), what).toBeGreaterThan(0)
  await rest(clock)
  await expectSound(...users)
  for (const user of users) await eraseUser(contextOf(user, { now_ms: clock.now_ms }), user)
  await rest(clock)
}
