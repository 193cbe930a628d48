import { expect, inject, it } from 'vitest'
import { setProfile } from '../../src/features/profiles/set.ts'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, everywhere, placeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { everything, moveAll, mover } from '../support/moving.ts'
import { expectTrue, picture, type Seen, seen } from '../support/profiles.ts'
import { chances } from '../support/race.ts'
import { isolate } from '../support/service.ts'
import { show } from '../support/showing.ts'
import { signUp, type User } from '../support/user.ts'

const { brief, rounds: most } = inject('proof')

/** A user with a home in the database at this place, who has chosen a picture. */
async function userAt(place: number, reach = isolate()): Promise<User> {
  let user = await signUp('ada', reach)
  while (placeOf(user.id) !== place) user = await signUp('ada', reach)
  await user.choose(await user.picture())
  return user
}

it('reads the profiles of users in all databases in the order that was asked for, with one trip for each database', async () => {
  const { service, of } = meter()
  const users: User[] = []
  for (let number = 0; number < 12; number++) users.push(await userAt(number % databaseNames.length))
  const bob = (await signUp('bob')).through(service)
  for (const asked of [
    users,
    users.toReversed(),
    users.filter((_, number) => number % databaseNames.length === 1),
  ]) {
    const cost = await of(async () => {
      const profiles = await bob.profiles(...asked)
      expect(profiles.map(({ user_id }) => user_id)).toEqual(asked.map(({ id }) => id))
      for (const { picture_url } of profiles) expect(picture_url).not.toBeNull()
    })
    expect(cost.trips).toBe(new Set(asked.map(({ id }) => placeOf(id))).size)
  }
})

it('moves a profile with its user: the URL stays, and nothing is left behind', async () => {
  const [ada, bob] = [await userAt(0), await signUp('bob', isolate())]
  const [before] = await bob.profiles(ada)
  const partition = partitionOf(ada.id)
  for (const target of ['DB_1', 'DB_2', 'DB']) {
    await moveAll({ first: partition, last: partition }, target)
    expect((await everything()).strays).toEqual([])
    // In the isolate that knows the old place, and in one that knows none.
    for (const reach of [bob, bob.through(isolate())]) expect(await reach.profiles(ada)).toEqual([before])
    for (const reach of [isolate(), undefined])
      expect((await show(before?.picture_url ?? null, {}, reach)).status).toBe(200)
    const other = await ada.picture(`in ${target}`)
    const { picture_url } = await ada.choose(other)
    expect((await show(picture_url)).status).toBe(200)
    expect((await show(before?.picture_url ?? null)).status).toBe(404)
    await ada.delete(other)
    await ada.purge(other)
    expect(await everywhere('SELECT * FROM profiles WHERE user_id = ?', ada.id)).toEqual([])
    const back = /files\/([^/]+)/.exec(before?.picture_url ?? '')?.[1] ?? ''
    const again = await ada.choose(back)
    expect(again.picture_url).toBe(before?.picture_url)
    before && Object.assign(before, again)
  }
})

it('shows no picture that was taken back in the new database, in an isolate that knows the old one', async () => {
  const [ada, bob] = [await userAt(0), await signUp('bob', isolate())]
  const [before] = await bob.profiles(ada)
  const picture_id = /files\/([^/]+)/.exec(before?.picture_url ?? '')?.[1] ?? ''
  const partition = partitionOf(ada.id)
  let [wasFrozen, isTaken] = [false, false]
  for (let step = 0, isMoved = false; !isMoved; step++) {
    expect(step, 'the move ends').toBeLessThan(60)
    const { state } = await moveStep(mover(), { first: partition, last: partition }, 'DB_1', { steps: 1 })
    isMoved = state === 'moved'
    const json = { picture_id: wasFrozen ? null : picture_id }
    const { status } = await ada.through(isolate()).request('PUT', '/profile', { json })
    expect([200, 503]).toContain(status)
    isTaken ||= wasFrozen && status === 200
    wasFrozen ||= status === 503
    for (const reader of isTaken ? [bob, bob.through(isolate())] : [bob.through(isolate())])
      expect(await reader.profiles(ada)).toMatchObject([
        { picture_url: isTaken ? null : before?.picture_url },
      ])
  }
  expect([wasFrozen, isTaken]).toEqual([true, true])
})

it('keeps the last picture that was chosen while the user moved, once', async () => {
  await chances({ count: brief ? 4 : Math.min(20, Math.max(6, most)) }, async (round) => {
    const ada = contextOf(newUserId())
    const pictures = [await picture(ada, 'a'), await picture(ada, 'b'), await picture(ada, 'c')]
    const urls = pictures.map(({ id, object_key }): Seen => ({ picture_id: id, object_key }))
    const partition = partitionOf(ada.user_id)
    const target = databaseNames[(placeOf(ada.user_id) + 1 + (round.seed % 2)) % databaseNames.length] ?? 'DB'
    const acknowledged: (string | undefined)[] = []
    const [moved, chosen] = await round.race<unknown>([
      () => moveAll({ first: partition, last: partition }, target),
      async () => {
        for (const { id } of pictures) {
          const fresh = contextOf(ada.user_id)
          const done = await setProfile(fresh, id).catch(() => undefined)
          acknowledged.push(done?.picture_id)
        }
      },
      () => seen(contextOf(newUserId()), ada.user_id),
    ])
    expect([moved?.code, chosen?.code]).toEqual([undefined, undefined])
    const rows = await everywhere<{ picture_id: string }>(
      'SELECT picture_id FROM profiles WHERE user_id = ?',
      ada.user_id,
    )
    const last = acknowledged.findLastIndex((id) => id !== undefined)
    // A refused choice may have taken effect only if it was not refused as moving: those change nothing.
    expect(rows.map(({ picture_id }) => picture_id)).toEqual(last < 0 ? [] : [acknowledged[last]])
    await expectTrue(contextOf(ada.user_id), urls)
  })
}, 120_000)
