import { expect, it } from 'vitest'
import { muteUser, unmuteUser } from '../../src/features/mutes/set.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { listSharedWith } from '../../src/features/shares/read.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { file } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectCopied, mutesNaming, publishFrom } from '../support/muting.ts'
import { removed } from '../support/objects.ts'
import { chances, rounds, tally } from '../support/race.ts'

const two = (limits = {}) => [contextOf(newUserId(), {}, limits), contextOf(newUserId())] as const
const nothing = async () => {}

it('a mute against its end: the inbox has what the database has, and the later one wins', async () => {
  await rounds(async (round) => {
    const [ada, bob] = two()
    const [muted, unmuted] = await round.race([
      () => muteUser(ada, bob.user_id),
      () => unmuteUser(ada, bob.user_id),
    ])
    expect([muted?.code, unmuted?.code]).toEqual([undefined, undefined])
    const left = await expectCopied(ada)
    if (round.isBefore(muted, unmuted)) expect(left).toEqual([])
    if (round.isBefore(unmuted, muted)) expect(left).toEqual([bob.user_id])
    await expectSound(ada.user_id)
  })
})

it('many mutes and ends at once: the inbox has what the database has', async () => {
  await chances({ count: 6 }, async (round) => {
    const [ada, bob] = two()
    const others = [bob, contextOf(newUserId()), contextOf(newUserId())]
    await muteUser(ada, bob.user_id)
    const outcomes = await round.race(
      others.flatMap(({ user_id }) => [
        () => muteUser(ada, user_id),
        () => unmuteUser(ada, user_id),
        () => muteUser(ada, user_id),
      ]),
    )
    expect(tally(outcomes)).toBe('9 ok')
    await expectCopied(ada)
    await expectSound(ada.user_id)
  })
})

it('no more than MAX_MUTES, however many at once', async () => {
  await chances(async (round) => {
    const [ada] = two({ MAX_MUTES: 2 })
    const outcomes = await round.race(['a', 'b', 'c', 'd'].map((id) => () => muteUser(ada, id)))
    expect(tally(outcomes)).toBe('2 LIMIT_REACHED, 2 ok')
    expect((await expectCopied(ada)).length).toBe(2)
    await expectSound(ada.user_id)
  })
})

it('a mute against a publication: what begins after the answer of the mute is refused', async () => {
  await rounds(async (round) => {
    const [ada, bob] = two()
    const [muted, published] = await round.race<unknown>([
      () => muteUser(ada, bob.user_id),
      () => publishFrom(bob, ada),
    ])
    expect(muted?.code).toBe(undefined)
    if (round.isBefore(muted, published)) expect(published?.code).toBe('MUTED_BY_USER')
    if (round.isBefore(published, muted)) expect(published?.code).toBe(undefined)
    await expect(publishFrom(bob, ada)).rejects.toMatchObject({ code: 'MUTED_BY_USER' })
  })
})

it('the end of a mute against a publication: what begins after its answer is stored', async () => {
  await rounds(async (round) => {
    const [ada, bob] = two()
    await muteUser(ada, bob.user_id)
    const [unmuted, published] = await round.race<unknown>([
      () => unmuteUser(ada, bob.user_id),
      () => publishFrom(bob, ada),
    ])
    if (round.isBefore(unmuted, published)) expect(published?.code).toBe(undefined)
    if (round.isBefore(published, unmuted)) expect(published?.code).toBe('MUTED_BY_USER')
    expect((await publishFrom(bob, ada)).type).toBe('shop.gift')
  })
})

it('a mute against a share: the list after both leaves the share out', async () => {
  await rounds(async (round) => {
    const [ada, bob] = two()
    const { id } = await file(bob)
    await round.race<unknown>([
      () => muteUser(ada, bob.user_id),
      () => createShare(bob, id, { grantee_id: ada.user_id, permission: 'view' }),
    ])
    const names = async () => (await listSharedWith(ada, { limit: 10, cursor: undefined })).rows.length
    expect(await names()).toBe(0)
    await unmuteUser(ada, bob.user_id)
    expect(await names()).toBe(1)
  })
})

it('a mute against the erasure of the one who mutes: nothing from before is left, and all from after', async () => {
  await rounds({ settle: removed }, async (round) => {
    const [ada, bob] = two()
    await muteUser(ada, newUserId())
    const [muted, erased] = await round.race<unknown>([
      () => muteUser(ada, bob.user_id),
      () => eraseUser(contextOf(newUserId()), ada.user_id),
    ])
    expect([muted?.code, erased?.code]).toEqual([undefined, undefined])
    const left = await expectCopied(ada)
    if (round.isBefore(muted, erased)) expect(left).toEqual([])
    if (round.isBefore(erased, muted)) expect(left).toEqual([bob.user_id])
    round.later(async () => {
      expect(await expectCopied(ada)).toEqual(left)
      await expectSound(ada.user_id)
    })
  })
})

it('the end of a mute against the erasure of the one who mutes: nothing is left', async () => {
  await rounds({ settle: removed }, async (round) => {
    const [ada, bob] = two()
    await muteUser(ada, bob.user_id)
    await round.race<unknown>([
      () => unmuteUser(ada, bob.user_id),
      () => eraseUser(contextOf(newUserId()), ada.user_id),
    ])
    expect(await expectCopied(ada)).toEqual([])
    round.later(async () => {
      expect(await expectCopied(ada)).toEqual([])
      await expectSound(ada.user_id)
    })
  })
})

it('a mute against the erasure of the muted user: no id is left, and the inbox has what the database has', async () => {
  await rounds({ settle: removed }, async (round) => {
    const [ada, bob] = two()
    const eve = newUserId()
    const outcomes = await round.race<unknown>([
      () => muteUser(ada, bob.user_id),
      () => eraseUser(contextOf(newUserId()), bob.user_id),
      () => muteUser(ada, eve),
      nothing,
    ])
    expect(tally(outcomes)).toBe('4 ok')
    round.later(async () => {
      expect(await mutesNaming(bob)).toBe(0)
      expect(await expectCopied(ada)).toEqual([eve])
      await expectSound(ada.user_id)
    })
  })
})
