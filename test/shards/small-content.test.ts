import { expect, it } from 'vitest'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { made } from '../support/answer.ts'
import { databaseNames, everyDatabase, holdersOf } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { moveAll, mover } from '../support/moving.ts'
import { records } from '../support/records.ts'
import { isolate } from '../support/service.ts'
import { User } from '../support/user.ts'

/** A user, and the partition, which moves to DB_1 and back. */
async function movable() {
  let id = newUserId()
  while ((await holdersOf([partitionOf(id)])).get(partitionOf(id)) === everyDatabase[1]) id = newUserId()
  const partition = partitionOf(id)
  return { ada: new User(id, await tokenFor(id)), range: { first: partition, last: partition } }
}

it('answers a request with content at every step of a move with what it has done, or with UNAVAILABLE', async () => {
  expect(databaseNames).toContain('DB_1')
  const { ada, range } = await movable()
  const file = await ada.content('a', 'first')
  let last = 'first'
  const made_names = ['a']
  let refused = 0
  for (let step = 0, isMoved = false; !isMoved; step++) {
    expect(step, 'the move ends').toBeLessThan(60)
    const from = ada.through(isolate())
    const [moved, replaced, created] = await Promise.all([
      moveStep(mover(), range, 'DB_1', { steps: 1 }),
      from.replaceContent(file, `content ${step}`),
      from.createContent('x', { name: `file ${step}` }),
    ])
    isMoved = moved.state === 'moved'
    for (const { status } of [replaced, created]) expect([200, 201, 503]).toContain(status)
    refused += [replaced, created].filter(({ status }) => status === 503).length
    if (replaced.status === 200) last = `content ${step}`
    if (created.status === 201) made_names.push(made(records.FileRecord, created, 201).name)
    expect((await ada.through(isolate()).readContent(file)).text).toBe(last)
  }
  expect(refused, 'requests that met the move').toBeGreaterThan(0)
  expect((await ada.names()).sort()).toEqual(made_names.sort())
  await expectSound(ada.id)
  await expectInPlace()
  await moveAll(range, 'DB')
  expect((await ada.readContent(file)).text).toBe(last)
})
