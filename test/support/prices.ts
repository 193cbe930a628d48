import { expect } from 'vitest'
import { AnnouncementPage } from '../../src/features/announcements/schema.ts'
import { Profiles } from '../../src/features/profiles/schema.ts'
import type { Env } from '../../src/platform/config/env.ts'
import { type Answer, made } from './answer.ts'
import { bytes } from './content.ts'
import { signUpCreator } from './creator.ts'
import { emptyOutboxes } from './delivery.ts'
import { nextSecond } from './next-second.ts'
import { data } from './notifications.ts'
import { type Price, priced } from './priced.ts'
import { measureSaves } from './prices-of-saves.ts'
import { records } from './records.ts'
import { seedAssets } from './seed.ts'
import { upgrade } from './service.ts'
import { show } from './showing.ts'
import { Upload as AnyUpload } from './upload.ts'
import { operator, put, signUp } from './user.ts'

/** How many public assets there are; a page costs the same with more (test/assets/budgets.test.ts). */
const PUBLISHED = 1_000

/** Measures the cost of each request of a day, for a player with a dozen files in a nested folder. */
export async function pricesOfRequests(
  variables: Record<string, string> = {},
  bindings: Partial<Pick<Env, 'EVENTS'>> = {},
): Promise<Record<string, Price>> {
  const { service, of } = await priced(variables, bindings)
  const prices: Record<string, Price> = {}
  const measure = async (request: string, send: () => Promise<Answer>, status = 200): Promise<Answer> => {
    const answers: Answer[] = []
    await emptyOutboxes() // as when earlier events have been delivered
    prices[request] = await of(async () => {
      answers.push(await send())
    })
    const [answer] = answers
    if (answer?.status !== status) throw new Error(`${request}: ${answer?.status} ${answer?.text}`)
    return answer
  }

  const ada = await signUpCreator('ada', service)
  const bob = await signUpCreator('bob', service)
  const folder = await ada.folder('saves', { in: await ada.folder('game') })
  for (let i = 0; i < 11; i++) await ada.file(`slot-${i}.sav`, `content ${i}`, { parent_id: folder.id })
  await seedAssets({ owner_id: (await signUp('others')).id, prefix: 'listed', from: 1, to: PUBLISHED })

  const content = bytes('twelve towers')
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })
  const declared = { size_bytes: content.length, mime_type: 'application/octet-stream' }
  const file = { upload_type: 'file', name: 'slot-12.sav', parent_id: folder.id, ...declared }
  const upload = made(
    AnyUpload,
    await measure('start an upload', () => ada.startUpload(file, key()), 201),
    201,
  )
  expect((await put(upload, content)).status).toBe(200)
  await measure('complete an upload', () => ada.complete(upload))
  const saved = upload.file?.id ?? ''
  const again = { upload_type: 'file', file_id: saved, ...declared }
  const replacing = made(
    AnyUpload,
    await measure('start a replacing upload', () => ada.startUpload(again, key()), 201),
    201,
  )
  expect((await put(replacing, content)).status).toBe(200)
  await measure('complete a replacing upload', () => ada.complete(replacing))

  // Another player's, whose rows precede ada's in each index: what ada's requests read stays the same.
  const abe = await signUp('abe', service)
  const deep = await abe.folder('saves', { in: await abe.folder('game') })
  const small = { name: 'slot-1.sav', parent_id: deep.id }
  for (let i = 0; i < 11; i++) await abe.createContent(content, small)
  const { id } = made(
    records.FileRecord,
    await measure('create a file with its content', () => abe.createContent(content, small, key()), 201),
    201,
  )
  await measure('replace the content of a file', () => abe.replaceContent(id, content))
  await measure('read the content of a file', () => abe.readContent(id))

  await measure('list files', () => ada.get(`/files?parent_id=${folder.id}`))
  await measure('get a file', () => ada.get(`/files/${saved}`))
  await measure('download URL', () => ada.get(`/files/${saved}/url`))
  const { files } = await ada.page({ parent_id: folder.id })
  const ids = files.map((one) => one.id)
  await measure(`URLs of ${ids.length} files`, () => ada.request('POST', '/files/urls', { json: { ids } }))
  await measure('rename a file', () => ada.change(saved, { name: 'slot-12b.sav' }))
  await measure('create a folder', () => ada.createFolder({ name: 'new', asset_type: 'folder' }, key()), 201)
  await measure('quota', () => ada.get('/quota'))
  const grant = { grantee_id: bob.id, permission: 'view', expires_at: Math.floor(Date.now() / 1_000) + 600 }
  const share = made(
    records.Share,
    await measure('share a file', () => ada.createShare(saved, grant, key()), 201),
    201,
  )
  await measure('shared with me', () => bob.get('/shares'))
  await measure('URL of a share', () => bob.sharedUrl(share))
  await measure('revoke a share', () => ada.revoke(share), 204)
  await measure('delete a file', () => ada.delete(saved), 204)
  await measure('list the trash', () => ada.get('/trash'))
  await measure('restore a file', () => ada.restore(saved))

  const picture = await ada.picture('me.png', { parent_id: folder.id })
  await measure('choose a profile picture', () => ada.setProfile(picture))
  const user_ids = [ada.id, bob.id, ...Array.from({ length: 18 }, (_, number) => `player-${number}`)]
  const profiles = await measure('profiles of 20 users', () =>
    bob.request('POST', '/profiles', { json: { user_ids } }),
  )
  const { picture_url } = made(Profiles, profiles, 200).profiles[0] ?? {}
  prices['show a profile picture'] = await of(async () => {
    expect((await show(picture_url ?? null, {}, service)).status).toBe(200)
  })

  const world = { upload_type: 'game_asset', name: 'castle', asset_type: 'world', ...declared }
  const building = made(
    AnyUpload,
    await measure('start an upload of an asset', () => ada.startUpload(world, key()), 201),
    201,
  )
  expect((await put(building, content)).status).toBe(200)
  const completed = made(
    records.CompletedAsset,
    await measure('complete an upload of an asset', () => ada.complete(building)),
    200,
  )
  const asset = completed.asset.id
  await ada.previewed(asset)
  await measure('publish an asset', () => ada.editAsset(asset, { visibility: 'public' }))
  await measure('list own assets', () => ada.get('/game/assets'))
  await measure('get an asset', () => bob.get(`/game/assets/${asset}`))
  await measure('URL of a version', () => bob.get(`/game/assets/${asset}/versions/1/url`))
  const items = Array.from({ length: 20 }, (_, number) => ({ asset_id: asset, version: 1 + (number % 2) }))
  await measure('URLs of 20 versions', () => bob.request('POST', '/game/urls', { json: { items } }))
  await measure('browse', () => bob.get('/game/public'))
  await measure('search', () => bob.get('/game/public?q=forest'))
  const preview_url = await ada.previewUrl(asset)
  prices['show a preview'] = await of(async () => {
    expect((await show(preview_url, {}, service)).status).toBe(200)
  })
  await measure('branch an asset', () => bob.branch(asset, { name: 'mine' }, key()), 201)

  const social = (await operator('notifications:publish')).through(service)
  const note = { user_id: ada.id, type: 'friend_request', data }
  const studio = (await operator('announcements:publish')).through(service)
  await studio.request('DELETE', '/announcements/unknown') // so that the isolate knows the announcements: none
  await social.request('POST', '/notifications', { json: note }) // the first notification creates the tables
  await ada.request('POST', '/notifications/read', {})
  await measure(
    'publish a notification',
    () => social.request('POST', '/notifications', { json: note, headers: key() }),
    201,
  )
  // The first look of an isolate reads the announcements after its answer.
  for (let look = 0; look < 2; look++) await ada.get('/notifications/unread-count')
  await measure('list the inbox', () => ada.get('/notifications'))
  await measure('count unread', () => ada.get('/notifications/unread-count'))
  await measure('mark as read', () => ada.request('POST', '/notifications/read', {}))
  prices['open a socket'] = await of(async () => {
    const { status, webSocket } = await upgrade({ Authorization: `Bearer ${ada.token}` }, '', service)
    expect(status).toBe(101)
    webSocket?.accept()
    webSocket?.close()
  })

  const player = await signUp('player', service)
  await social.request('POST', '/notifications', { json: { ...note, user_id: player.id } })
  const expires_at = Math.floor(Date.now() / 1_000) + 3_600
  const notice = { type: 'studio.notice', data: { minutes: 30 }, expires_at }
  await measure(
    'announce to all users',
    () => studio.request('POST', '/announcements', { json: notice }),
    201,
  )
  await measure('take in an announcement', () => player.get('/notifications/unread-count'))
  const [announced] = made(AnnouncementPage, await studio.get('/announcements'), 200).announcements
  await measure('end an announcement', () => studio.request('DELETE', `/announcements/${announced?.id}`), 204)
  await measure('lose an ended announcement', () => player.get('/notifications/unread-count'))

  await measureSaves(measure, ada)

  // Rare requests.
  const moved = (await ada.folder('moved', { in: folder })).id
  for (let i = 0; i < 10; i++) await ada.folder(`in it ${i}`, { in: moved })
  await measure('move a file', () => ada.move(saved, { into: null }))
  await measure('make a file public', () => ada.change(saved, { is_public: true }))
  await measure('move a folder of 10 folders', () => ada.move(moved, { into: null }))
  await measure('delete a folder of 10 folders', () => ada.delete(moved), 204)
  await measure('restore a folder of 10 folders', () => ada.restore(moved))
  await ada.delete(moved)
  await measure('delete 11 items permanently', () => ada.purge(moved), 204)
  await ada.delete(saved)
  await measure('empty the trash of one file', () => ada.request('DELETE', '/trash'), 204)
  const given_up = await ada.upload({ ...file, name: 'given up' })
  await measure('abort an upload', () => ada.abort(given_up), 204)

  await nextSecond()
  await measure('make an old version the newest', () => ada.rollBack(asset, { from_version: 1 }, key()), 201)
  await nextSecond()
  await measure('rename a public asset', () => ada.editAsset(asset, { name: 'tower' }))
  await measure('delete a public asset', () => ada.deleteAsset(asset), 204)
  await measure('restore a public asset', () => ada.restoreAsset(asset))

  const noted = made(
    records.Notification,
    await social.request('POST', '/notifications', { json: note }),
    201,
  )
  await measure('delete a notification', () => ada.request('DELETE', `/notifications/${noted.id}`), 204)
  const mortal = { ...note, type: 'shop.gift', data: { gift_id: 'golden-sword' }, expires_in: 3_600 }
  await measure(
    'publish a notification that goes by itself',
    () => social.request('POST', '/notifications', { json: mortal, headers: key() }),
    201,
  )
  await measure(
    'publish a signal',
    () => social.request('POST', '/notifications', { json: { ...mortal, persistent: false } }),
    201,
  )
  const { type } = mortal
  const many = {
    user_ids: Array.from({ length: 100 }, (_, number) => `player-${number}`),
    type,
    data: mortal.data,
  }
  await social.request('POST', '/notifications/batch', { json: many })
  await measure('publish to 100 users', () =>
    social.request('POST', '/notifications/batch', { json: many, headers: key() }),
  )
  for (let look = 0; look < 2; look++) await ada.get('/notifications/unread-count')
  await measure('list unread gifts', () => ada.get('/notifications?state=unread&type=shop.gift'))
  await measure('delete all notifications', () =>
    ada.request('POST', '/notifications/delete', { json: { all: true } }),
  )
  const moderator = (await operator('content:moderate')).through(service)
  const block = `/game/assets/${asset}/block`
  await measure('block an asset', () => moderator.request('PUT', block, { json: { reason: 'a test' } }), 204)
  await measure('lift a block', () => moderator.request('DELETE', block), 204)
  const eraser = (await operator('users:erase')).through(service)
  await measure('ask to erase a user', () => eraser.request('DELETE', `/users/${bob.id}`), 202)
  return prices
}
