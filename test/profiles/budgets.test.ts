import { expect, it } from 'vitest'
import { databaseNames, everyDatabase, placeOf } from '../support/databases.ts'
import { meter } from '../support/meter.ts'
import { gif } from '../support/pictures.ts'
import { seedSiblings } from '../support/seed.ts'
import { show } from '../support/showing.ts'
import { operator, signUp, type User } from '../support/user.ts'

const { service, of } = meter()

/** A user whose picture lies `depth` folders deep, and its URL. */
async function withPicture(name: string, depth: number): Promise<{ user: User; url: string }> {
  const user = await signUp(name, service)
  let parent: string | undefined
  for (let level = 0; level < depth; level++)
    parent = (await user.folder(`${level}`, parent === undefined ? {} : { in: parent })).id
  const picture = await user.picture('me.png', parent === undefined ? {} : { parent_id: parent })
  return { user, url: (await user.choose(picture)).picture_url ?? '' }
}

it.each([0, 5])('choosing a picture below %i folders costs one trip, and a row or two', async (depth) => {
  const { user } = await withPicture('ada', depth)
  const parent_id = (await user.folder('other')).id
  const other = await user.file('b.gif', gif, {
    asset_type: 'profile_pic',
    mime_type: 'image/gif',
    parent_id,
  })
  const d = depth + 2
  for (const picture of [other, null]) {
    const cost = await of(() => user.choose(picture))
    expect(cost).toMatchObject({ trips: 1, r2_calls: 0 })
    expect(cost.rows_read).toBeLessThanOrEqual(7 * d + 20)
    expect(cost.rows_written).toBeLessThanOrEqual(1)
  }
})

it.each([0, 5])(
  'the profiles of 100 users, with pictures below %i folders, cost one trip and 3d + 4 rows each',
  async (depth) => {
    const users: string[] = []
    for (let number = 0; number < 10; number++) users.push((await withPicture('ada', depth)).user.id)
    const strangers = Array.from({ length: 90 }, (_, number) => `nobody-${number}`)
    const asked = [...users, ...strangers]
    const bob = await signUp('bob', service)
    const cost = await of(async () => {
      const profiles = await bob.profiles(...asked)
      expect(profiles.filter(({ picture_url }) => picture_url !== null)).toHaveLength(10)
    })
    const trips = new Set(asked.map(placeOf)).size
    expect(cost).toMatchObject({ trips, rows_written: 0, r2_calls: 0 })
    // A stranger costs two looks, and over several databases three more for the place of the partition.
    const ofEach = databaseNames.length > 1 ? 5 : 2
    expect(cost.rows_read).toBeLessThanOrEqual(users.length * (3 * (depth + 1) + 4) + ofEach * asked.length)
  },
)

it.each([0, 5])(
  'a picture below %i folders costs one trip and one call to R2, and none for who has it',
  async (depth) => {
    const { user, url } = await withPicture('ada', depth)
    const rows_read = 3 * (depth + 1) + 4
    const shown = await of(() => show(url, {}, service))
    expect(shown).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 1 })
    expect(shown.rows_read).toBeLessThanOrEqual(rows_read)
    const etag = (await show(url)).headers.get('ETag') ?? ''
    const cheap: Record<string, string>[] = [{ 'If-None-Match': etag }, { method: 'HEAD' }]
    for (const headers of cheap)
      expect(await of(() => show(url, headers, service))).toMatchObject({ trips: 1, r2_calls: 0 })
    await user.choose(null)
    const gone = await of(() => show(url, {}, service))
    expect(gone).toMatchObject({ trips: 1, r2_calls: 0 })
    expect(gone.rows_read).toBeLessThanOrEqual(rows_read)
    for (const path of ['x/y', `${'0'.repeat(36)}/y`])
      expect(
        await of(() => show(`${new URL(url).origin}/pictures/files/${path}`, {}, service)),
      ).toMatchObject({
        trips: 0,
        r2_calls: 0,
      })
  },
)

it('deleting another kind of file costs nothing for profiles, and a picture one row more', async () => {
  const ada = await signUp('ada', service)
  const cost = async (asset_type: string) => {
    const file = await ada.file('p.gif', gif, { asset_type, mime_type: 'image/gif' })
    await ada.delete(file)
    return of(() => ada.purge(file))
  }
  const [emote, picture] = [await cost('emote'), await cost('profile_pic')]
  expect(picture.rows_read - emote.rows_read).toBeLessThanOrEqual(1)
  expect(picture.rows_written).toBe(emote.rows_written)
})

it('an erasure removes the profile in its request, also when the job has to remove the picture', async () => {
  const { user } = await withPicture('ada', 0)
  await seedSiblings(user.id, null, 1_000)
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${user.id}`)).status).toBe(202)
  for (const database of everyDatabase)
    expect(
      await database.prepare('SELECT * FROM profiles WHERE user_id = ?').bind(user.id).all(),
    ).toMatchObject({ results: [] })
})
