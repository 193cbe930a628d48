import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { setProfile } from '../../src/features/profiles/set.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import { folder } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, removed, runEach } from '../support/objects.ts'
import { expectTrue, isServed, otherContent, picture, type Seen, seen } from '../support/profiles.ts'
import { rounds } from '../support/race.ts'

/** A user with two pictures in a folder, of which the first is chosen, and a reader. */
async function scene() {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  const top = await folder(ada, 'top')
  const [first, second] = [await picture(ada, 'first', top.id), await picture(ada, 'second', top.id)]
  await setProfile(ada, first.id)
  const urls = [first, second].map(({ id, object_key }): Seen => ({ picture_id: id, object_key }))
  return { ada, bob, top, first, second, urls }
}

/** Reads the profile, and asks for the picture that it shows. Returns the URL, and whether it was served. */
async function look(bob: ReturnType<typeof contextOf>, user_id: string) {
  const url = await seen(bob, user_id)
  return { url, isServed: url !== undefined && (await isServed(bob, url)) }
}

const chosen = (user_id: string) => countOf('profiles WHERE user_id = ?', user_id)

describe('races over a profile picture', () => {
  it('shows no picture that is in the trash, whenever it was chosen or its folder deleted', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { ada, bob, top, second, urls } = await scene()
      const [set, deleted, looked, once] = await round.race<unknown>([
        () => setProfile(ada, second.id),
        () => deleteFile(ada, round.variant === 0 ? second.id : top.id),
        () => look(bob, ada.user_id),
        () => isServed(bob, urls[1] ?? expect.fail()),
      ])
      expect(deleted?.code).toBeUndefined()
      expect([undefined, 'FILE_NOT_FOUND']).toContain(set?.code)
      if (round.isBefore(deleted, set)) expect(set?.code).toBe('FILE_NOT_FOUND')
      if (round.isBefore(set, deleted)) expect(set?.code).toBeUndefined()
      if (round.isBefore(deleted, once) || round.isBefore(once, set)) expect(once?.answer).toBe(false)
      if (round.variant === 1 && round.isBefore(deleted, looked))
        expect(looked?.answer).toEqual({ url: undefined, isServed: false })
      const isRefused = round.fork('it is refused', set?.code !== undefined)
      await expectTrue(ada, urls)
      await restoreFile(ada, round.variant === 0 ? second.id : top.id)
      await expectTrue(ada, urls)
      expect(await isServed(bob, urls[isRefused ? 0 : 1] ?? expect.fail())).toBe(true)
      await expectSound(ada.user_id)
    })
  })

  it('shows one of two pictures that are chosen at once, and none that was chosen before', async () => {
    await rounds(async (round) => {
      const { ada, bob, urls, second } = await scene()
      const third = await picture(ada, 'third')
      const [one, other, none] = await round.race<unknown>([
        () => setProfile(ada, second.id),
        () => setProfile(ada, third.id),
        () => setProfile(ada, null),
        () => look(bob, ada.user_id),
      ])
      expect([one?.code, other?.code, none?.code]).toEqual([undefined, undefined, undefined])
      const all = [...urls, { picture_id: third.id, object_key: third.object_key }]
      await expectTrue(ada, all)
      const shown = await seen(bob, ada.user_id)
      expect(shown?.picture_id).not.toBe(urls[0]?.picture_id)
      if ([one, other].every((choice) => round.isBefore(choice, none))) expect(shown).toBeUndefined()
    })
  })

  it('forgets a picture that is purged, and never has one that is purged before it is chosen', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { ada, bob, second, urls } = await scene()
      await setProfile(ada, round.variant === 0 ? null : second.id)
      await deleteFile(ada, second.id)
      const [set, purged, restored] = await round.race<unknown>([
        () => setProfile(ada, second.id),
        () => purgeFile(ada, second.id),
        () => restoreFile(ada, second.id),
        () => look(bob, ada.user_id),
      ])
      expect([undefined, 'FILE_NOT_FOUND']).toContain(set?.code)
      if (!purged?.code) expect([undefined, 'FILE_NOT_FOUND']).toContain(restored?.code)
      await expectTrue(ada, urls)
      if (!purged?.code) {
        await runEach(0)
        expect(await chosen(ada.user_id)).toBe(0)
        expect(await isServed(bob, urls[1] ?? expect.fail())).toBe(false)
      }
      await expectSound(ada.user_id)
    })
  })

  it('serves the content that a picture has, and not what it had', async () => {
    await rounds(async (round) => {
      const { ada, bob, second, urls } = await scene()
      const upload_id = await otherContent(ada, second.id)
      const after: Seen = { picture_id: second.id, object_key: upload_id }
      const [set, completed, looked, old] = await round.race<unknown>([
        () => setProfile(ada, second.id),
        () => completeUpload(ada, upload_id),
        () => look(bob, ada.user_id),
        () => isServed(bob, urls[1] ?? expect.fail()),
      ])
      expect([set?.code, completed?.code]).toEqual([undefined, undefined])
      if (round.isBefore(completed, old)) expect(old?.answer).toBe(false)
      if (round.isBefore(set, looked) && round.isBefore(completed, looked))
        expect(looked?.answer).toEqual({ url: after, isServed: true })
      await expectTrue(ada, [...urls, after])
      expect(await isServed(bob, after)).toBe(true)
    })
  })

  it('shows nothing that a moderator has blocked, whenever it was chosen', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { ada, bob, top, second, urls } = await scene()
      const moderator = contextOf(newUserId())
      const [set, blocked, once] = await round.race<unknown>([
        () => setProfile(ada, second.id),
        () => blockFile(moderator, round.variant === 0 ? second.id : top.id),
        () => isServed(bob, urls[1] ?? expect.fail()),
      ])
      expect([set?.code, blocked?.code]).toEqual([undefined, undefined])
      if (round.isBefore(blocked, once)) expect(once?.answer).toBe(false)
      await expectTrue(ada, urls)
      expect(await seen(bob, ada.user_id)).toBeUndefined()
    })
  })

  it('leaves nothing of an erased user, and keeps what the user chooses afterwards', async () => {
    await rounds({ settle: removed }, async (round) => {
      const { ada, bob, second, urls } = await scene()
      const [set, erased, once] = await round.race<unknown>([
        () => setProfile(ada, second.id),
        () => eraseUser(bob, ada.user_id),
        () => isServed(bob, urls[1] ?? expect.fail()),
      ])
      expect(erased?.code).toBeUndefined()
      if (round.isBefore(erased, set)) expect(set?.code).toBe('FILE_NOT_FOUND')
      if (round.isBefore(erased, once)) expect(once?.answer).toBe(false)
      expect(await seen(bob, ada.user_id)).toBeUndefined()
      expect(await chosen(ada.user_id)).toBe(0)
      const again = await picture(ada, 'again')
      await setProfile(ada, again.id)
      round.later(async () => {
        await expectTrue(ada, urls)
        expect((await seen(ada, ada.user_id))?.picture_id).toBe(again.id)
      })
    })
    await expectAgreedIn(3)
  })
})
