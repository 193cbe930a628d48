import { Profiles } from '../../../src/features/profiles/schema.ts'
import { made } from '../answer.ts'
import { type Creator, signUpCreator } from '../creator.ts'
import { toNextSecond } from '../next-second.ts'
import { gif, png, webp } from '../pictures.ts'
import { show } from '../showing.ts'
import type { User } from '../user.ts'
import type { Budget, Measuring } from './measure.ts'
import type { World } from './world.ts'

/** Measures previews of assets, and profiles with pictures. */
export async function measurePictures(costs: Measuring, { ada, bob }: World): Promise<void> {
  for (const visibility of ['public', 'private'] as const) await measurePreview(costs, ada, visibility)
  await measureLargePreview(costs, ada)
  for (const depth of [0, 5]) await measureProfiles(costs, bob, depth)
  await measurePictureFiles(costs, bob)
}

async function measurePreview(
  { measure, service }: Measuring,
  ada: Creator,
  visibility: 'public' | 'private',
) {
  const asset = await ada.emptyAsset(`${visibility} ${crypto.randomUUID()}`, { visibility })
  const of = `the preview of a ${visibility} asset`
  const rows =
    visibility === 'public' ? { rows_read: 60, rows_written: 20 } : { rows_read: 30, rows_written: 6 }
  const set: Budget = { trips: 1, r2_calls: 1, ...rows }
  await measure(`get a ${visibility} asset without a preview`, () => ada.readAsset(asset))
  for (const [picture, headers] of [
    [png, {}],
    [webp, {}],
    [png, { 'If-Match': '"3"' }],
  ] as const) {
    toNextSecond() // an asset that was updated in this second keeps its place among the last updated
    await measure(`set ${of}`, () => ada.setPreview(asset, picture, headers), 200, set)
  }
  await measure(`get a ${visibility} asset with a preview`, () => ada.readAsset(asset))
  const url = (await ada.previewUrl(asset)) ?? ''
  const shown: Budget = { trips: 1, rows_read: 3, rows_written: 0, r2_calls: 1 }
  const free = { ...shown, r2_calls: 0 }
  await measure(`show ${of}`, () => show(url, {}, service), 200, shown)
  await measure(`show ${of} to who has it`, () => show(url, { 'If-None-Match': '*' }, service), 304, free)
  await measure(`show ${of} by HEAD`, () => show(url, { method: 'HEAD' }, service), 200, free)
  const { origin, pathname } = new URL(url)
  const wrong = `${origin}${pathname}?expires=1&signature=x`
  if (visibility === 'private')
    await measure('show a preview by a wrong signature', () => show(wrong, {}, service), 404, free)
  await measureNoPicture({ measure, service }, `${origin}/pictures/assets`)
  const remove = () => ada.deletePreview(asset)
  toNextSecond()
  await measure(`remove ${of}`, remove, 204, { ...set, r2_calls: 0 })
  await measure('remove the preview of an asset without one', remove, 204, {
    trips: 1,
    rows_written: 0,
    r2_calls: 0,
  })
}

/** Paths that no picture has. */
async function measureNoPicture({ measure, service }: Pick<Measuring, 'measure' | 'service'>, base: string) {
  for (const path of ['x/y', `${'0'.repeat(36)}/y`])
    await measure('show what is no picture', () => show(`${base}/${path}`, {}, service), 404, {
      trips: 0,
      r2_calls: 0,
    })
}

/** A preview of more than 64 KiB takes a trip more, and is not put for an asset that can’t take it. */
async function measureLargePreview({ measure, service }: Measuring, ada: Creator): Promise<void> {
  const [most, more] = [65_536, 65_537].map((size) => {
    const bytes = new Uint8Array(size)
    bytes.set(png)
    return bytes
  })
  if (!most || !more) throw new Error('there are no pictures')
  const asset = await ada.emptyAsset(`large ${crypto.randomUUID()}`)
  const eve = await signUpCreator('eve', service)
  await measure('set a preview of 64 KiB', () => ada.setPreview(asset, most), 200, { trips: 1, r2_calls: 1 })
  await measure('set a preview of more than 64 KiB', () => ada.setPreview(asset, more), 200, {
    trips: 2,
    r2_calls: 1,
  })
  const refused = (user: Creator, status: number, id: string, headers = {}) =>
    measure('a large preview that no asset can take', () => user.setPreview(id, more, headers), status, {
      trips: 1,
      rows_written: 0,
      r2_calls: 0,
    })
  await refused(ada, 412, asset.id, { 'If-Match': '"1"' })
  await refused(eve, 404, asset.id)
  const unknown = asset.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  await refused(ada, 404, unknown)
}

/** Makes a user choose a picture below `depth` folders. Returns its URL. */
async function withPicture(user: User, depth: number): Promise<string> {
  let parent_id: string | undefined
  for (let level = 0; level < depth; level++)
    parent_id = (await user.folder(`${level}`, parent_id === undefined ? {} : { in: parent_id })).id
  const picture = await user.picture('me.png', parent_id === undefined ? {} : { parent_id })
  return (await user.choose(picture)).picture_url ?? ''
}

async function measureProfiles({ measure, service }: Measuring, bob: User, depth: number): Promise<void> {
  const below = `below ${depth} folders`
  const users: User[] = []
  let url = ''
  for (let number = 0; number < 10; number++) {
    const user = await signUpCreator('ada', service)
    url = await withPicture(user, depth)
    users.push(user)
  }
  const strangers = Array.from({ length: 90 }, (_, number) => `nobody-${number}`)
  const user_ids = [...users.map(({ id }) => id), ...strangers]
  const rows_read = 10 * (3 * (depth + 1) + 4) + 2 * 100
  const answer = await measure(
    `profiles of 100 users, ten with a picture ${below}`,
    () => bob.request('POST', '/profiles', { json: { user_ids } }),
    200,
    { rows_read, rows_written: 0, r2_calls: 0 },
  )
  const { profiles } = made(Profiles, answer, 200)
  if (profiles.filter(({ picture_url }) => picture_url !== null).length !== 10)
    throw new Error('not all pictures are in the profiles')
  const user = users.at(-1) ?? bob
  const one: Budget = { trips: 1, rows_read: 3 * (depth + 1) + 4, rows_written: 0, r2_calls: 1 }
  const free = { ...one, r2_calls: 0 }
  await measure(`show a picture ${below}`, () => show(url, {}, service), 200, one)
  const has = { 'If-None-Match': (await show(url)).headers.get('ETag') ?? '' }
  await measure(`show a picture ${below} to who has it`, () => show(url, has, service), 304, free)
  await measure(`show a picture ${below} by HEAD`, () => show(url, { method: 'HEAD' }, service), 200, free)
  const parent_id = (await user.folder('other')).id
  const other = await user.file('b.gif', gif, {
    asset_type: 'profile_pic',
    mime_type: 'image/gif',
    parent_id,
  })
  const chosen: Budget = { trips: 1, rows_read: 7 * (depth + 2) + 20, rows_written: 1, r2_calls: 0 }
  await measure(`choose another picture than one ${below}`, () => user.setProfile(other), 200, chosen)
  await measure('choose no picture', () => user.setProfile(null), 200, chosen)
  await measure(`show a picture ${below} that is no longer chosen`, () => show(url, {}, service), 404, free)
  await measureNoPicture({ measure, service }, `${new URL(url).origin}/pictures/files`)
}

/** Deleting a picture, which looks for the profile that shows it, and another file. */
async function measurePictureFiles({ measure }: Measuring, user: User): Promise<void> {
  for (const asset_type of ['emote', 'profile_pic']) {
    const file = await user.file('p.gif', gif, { asset_type, mime_type: 'image/gif' })
    await user.delete(file)
    await measure(`delete a file of the type ${asset_type} permanently`, () => user.purge(file), 204)
  }
}
