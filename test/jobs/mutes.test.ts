import { describe, expect, it, vi } from 'vitest'
import { copyLists, LISTS_PER_STEP } from '../../src/features/mutes/copy.ts'
import { muteUser, unmuteUser } from '../../src/features/mutes/set.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseNames } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { died, dieEverywhere, dyingAt } from '../support/mortal.ts'
import { copyOf, expectCopied, makeDue, mutedBy, mutesNaming, publishFrom } from '../support/muting.ts'
import { jobIn, runJobIn } from '../support/objects.ts'

/** A user whose inbox does not answer. */
const cutOff = { getByName: () => ({ setMutes: () => Promise.reject(new Error('cut off')) }) }
const unanswered = (ctx: RequestContext): RequestContext => Object.assign({ ...ctx }, { inboxes: cutOff })

/** Takes the job's steps in every database until none has anything to do. Returns how many lists they copied. */
async function copyAll(different = {}): Promise<number> {
  let sum = 0
  await makeDue()
  for (const name of databaseNames)
    for (let done = -1; done !== 0; sum += Math.max(done, 0))
      done = await copyLists({ ...jobIn(0, name), ...different })
  return sum
}

const waiting = () => countOf('mute_lists WHERE due_at IS NOT NULL')
const two = () => [contextOf(newUserId()), contextOf(newUserId())] as const

describe('a mute whose inbox does not answer', () => {
  it('is UNAVAILABLE, stands in the list, and reaches the inbox by the job', async () => {
    const [ada, bob] = two()
    await expect(muteUser(unanswered(ada), bob.user_id)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect([await mutedBy(ada), await copyOf(ada)]).toEqual([[bob.user_id], []])
    expect(await copyAll()).toBe(1)
    expect(await expectCopied(ada)).toEqual([bob.user_id])
    expect(await waiting()).toBe(0)
    await expect(unmuteUser(unanswered(ada), bob.user_id)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect([await mutedBy(ada), await copyOf(ada)]).toEqual([[], [bob.user_id]])
    expect(await copyAll()).toBe(1)
    expect(await expectCopied(ada)).toEqual([])
  })

  it('reaches the inbox by the next mute, too', async () => {
    const [ada, bob] = two()
    await expect(muteUser(unanswered(ada), bob.user_id)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await muteUser(ada, bob.user_id)
    expect(await expectCopied(ada)).toEqual([bob.user_id])
  })

  it('is left to the request for a minute', async () => {
    const [ada, bob] = two()
    await copyAll()
    await expect(muteUser(unanswered(ada), bob.user_id)).rejects.toThrow()
    for (const name of databaseNames) expect(await copyLists(jobIn(0, name))).toBe(0)
    expect(await copyOf(ada)).toEqual([])
    let copied = 0
    for (const name of databaseNames) copied += await copyLists(jobIn(1.5 / (24 * 60), name))
    expect(copied).toBe(1)
    expect(await expectCopied(ada)).toEqual([bob.user_id])
  })
})

it('records after the answer that the inbox has the list, so that the job copies nothing', async () => {
  const works: Promise<void>[] = []
  const ada = contextOf(newUserId(), {
    afterwards: (work) => works.push(work(contextOf('nobody'))),
  })
  await muteUser(ada, newUserId())
  await Promise.all(works)
  expect([works.length, await waiting()]).toEqual([1, 0])
  expect(await copyAll()).toBe(0)
})

it('ends with the same list in the inbox wherever the Worker of a mute or of the job dies', async () => {
  let at = 0
  const deaths = await dieEverywhere(async (dying) => {
    at++
    const [ada, bob] = two()
    await muteUser(ada, newUserId())
    const isDead = await died(muteUser(dying(ada), bob.user_id))
    await makeDue()
    await copyAll()
    await expectCopied(ada)
    await expectSound(ada.user_id)
    return isDead
  })
  expect([deaths, at]).toEqual([3, 4])
  for (const moment of [1, 2, 3])
    for (const when of ['before', 'after'] as const) {
      const [ada, bob] = two()
      await expect(muteUser(unanswered(ada), bob.user_id)).rejects.toThrow()
      await makeDue()
      for (const name of databaseNames)
        await died(copyLists(dyingAt(jobIn(0, name), moment, when)).catch(() => 0))
      await copyAll()
      expect(await expectCopied(ada)).toEqual([bob.user_id])
      expect(await waiting()).toBe(0)
    }
})

it('copies the lists of a step, and one whose inbox fails delays no other', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const [slow, bob] = two()
  const others = Array.from({ length: LISTS_PER_STEP + 1 }, () => contextOf(newUserId()))
  for (const user of [slow, ...others])
    await expect(muteUser(unanswered(user), bob.user_id)).rejects.toThrow()
  const { inboxes } = slow
  const failing = overridden(inboxes, {
    getByName: (name: string) => (name === slow.user_id ? cutOff.getByName() : inboxes.getByName(name)),
  })
  expect(await copyAll({ inboxes: failing })).toBe(others.length)
  for (const user of others) expect(await expectCopied(user)).toEqual([bob.user_id])
  expect([await copyOf(slow), await waiting()]).toEqual([[], 1])
  expect(await copyAll()).toBe(1)
  expect(await expectCopied(slow)).toEqual([bob.user_id])
})

describe('the erasure of a muted user', () => {
  /** Users with a mute of Bob and one of somebody else, more than a step of the erasure takes. */
  async function muters(bob: RequestContext, count = 12) {
    const [other, ...users] = Array.from({ length: count + 1 }, () => contextOf(newUserId()))
    if (!other) throw new Error('nobody')
    for (const user of users) for (const { user_id } of [bob, other]) await muteUser(user, user_id)
    return { users, other }
  }

  it('takes the id out of the lists of all, in every database, and out of their inboxes', async () => {
    const bob = contextOf(newUserId())
    const { users, other } = await muters(bob)
    await eraseUser(bob, bob.user_id)
    await runJobIn(0)
    await runJobIn(0.01)
    expect([await mutesNaming(bob), await countOf('erasures'), await waiting()]).toEqual([0, 0, 0])
    for (const user of users) {
      expect(await expectCopied(user)).toEqual([other.user_id])
      await expectSound(user.user_id)
      await publishFrom(bob, user)
    }
  })

  it('keeps a mute from after the erasure', async () => {
    const bob = contextOf(newUserId())
    await eraseUser(bob, bob.user_id)
    await runJobIn(0.01)
    const ada = contextOf(newUserId(), { now_ms: Date.now() + 120_000 })
    await muteUser(ada, bob.user_id)
    await runJobIn(0.02)
    expect(await expectCopied(ada)).toEqual([bob.user_id])
  })

  it('waits for an inbox that does not answer, and ends when it does', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const bob = contextOf(newUserId())
    const { users } = await muters(bob, 3)
    await eraseUser(bob, bob.user_id)
    const [slow] = users
    if (!slow) throw new Error('nobody')
    const { inboxes } = slow
    const failing = overridden(inboxes, {
      getByName: (name: string) => (name === slow.user_id ? cutOff.getByName() : inboxes.getByName(name)),
    })
    const { runJob } = await import('../../src/janitor/run.ts')
    for (const days of [0.01, 0.02, 0.03])
      for (const name of databaseNames) await runJob({ ...jobIn(days, name), inboxes: failing })
    expect([await mutesNaming(bob), await countOf('erasures WHERE is_guest = 0')]).toEqual([1, 1])
    await runJobIn(0.1)
    await runJobIn(0.2)
    expect([await mutesNaming(bob), await countOf('erasures')]).toEqual([0, 0])
    for (const user of users) expect(await expectCopied(user)).not.toContain(bob.user_id)
  })

  it('ends also when the Worker of the job dies anywhere', async () => {
    for (const moment of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      const bob = contextOf(newUserId())
      const { users, other } = await muters(bob, 2)
      await eraseUser(bob, bob.user_id)
      const { runJob } = await import('../../src/janitor/run.ts')
      for (const name of databaseNames)
        await runJob(dyingAt(jobIn(0.01, name), moment * 3, 'after')).catch(() => {})
      for (const days of [0.1, 0.2]) await runJobIn(days)
      expect([await mutesNaming(bob), await countOf('erasures')]).toEqual([0, 0])
      for (const user of users) expect(await expectCopied(user)).toEqual([other.user_id])
    }
  })
})

it('the erasure of a user with many mutes leaves none of them, and counts none', async () => {
  const ada = contextOf(newUserId())
  for (let mute = 0; mute < 120; mute++) await muteUser(ada, `player ${mute}`)
  await eraseUser(ada, ada.user_id)
  expect([await mutedBy(ada), await copyOf(ada)]).toEqual([[], []])
  await runJobIn(0.01)
  await runJobIn(0.02)
  for (const table of ['mutes', 'mute_lists', 'usage'])
    expect(await countOf(`${table} WHERE user_id = ?`, ada.user_id)).toBe(0)
})
