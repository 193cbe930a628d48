import { expect } from 'vitest'
import { AnnouncementPage } from '../../../src/features/announcements/schema.ts'
import { Profiles } from '../../../src/features/profiles/schema.ts'
import { made } from '../answer.ts'
import { bytes } from '../content.ts'
import { toNextSecond } from '../next-second.ts'
import { data } from '../notifications.ts'
import { Upload as AnyUpload, records } from '../records.ts'
import { upgrade } from '../service.ts'
import { show } from '../showing.ts'
import { operator, put, signUp } from '../user.ts'
import type { Budget, Measure, Measuring } from './measure.ts'
import { measureSaves } from './saves.ts'
import type { World } from './world.ts'

/** The items on the path of a file in ada's folder, itself included. */
const d = 3

const page = (limit: number): Budget => ({
  trips: 1,
  rows_read: 2 * limit + 10,
  rows_written: 0,
  r2_calls: 0,
  grows: true,
})
const change: Budget = { trips: 1, rows_read: 4 * d + 20, r2_calls: 0 }
const content: Budget = { trips: 1, rows_read: 4 * d + 40, rows_written: 10, r2_calls: 1 }
const save: Budget = { trips: 0, saves_calls: 1, saves_rows_written: 1, r2_calls: 0 }
/** The same few steps of removing, whatever there is. */
const removal: Budget = { rows_read: 20_000, rows_written: 6_000, varies: 'many' }

/** The most that requests of a day may cost. */
const budgets: Record<string, Budget> = {
  'list files': { trips: 1, rows_read: 100 + 4 * (d - 1) + 10, rows_written: 0, grows: true },
  'get a file': { trips: 1, rows_read: 3 * d + 10, rows_written: 0 },
  'download URL': { trips: 1, rows_read: 4 * d + 10, rows_written: 0 },
  'URLs of 12 files': { rows_read: 12 * (3 * d + 4), rows_written: 0 },
  'URLs of 20 versions': { rows_read: 20 * 4, rows_written: 0 },
  'rename a file': change,
  'create a folder': change,
  'delete a file': change,
  'restore a file': change,
  'make a file public': change,
  'move a file': change,
  'move a folder of 10 folders': { trips: 1, rows_read: 4 * d + 2 * 11 + 20 },
  'delete a folder of 10 folders': change,
  'restore a folder of 10 folders': change,
  'list the trash': page(100),
  'list own assets': page(50),
  browse: { ...page(50), varies: 'many' }, // by the stops of the catalogue (docs/catalogue.md)
  'shared with me': { rows_read: 50 * (3 * d + 4) + 10, rows_written: 0 },
  'URL of a share': { trips: 1, rows_read: 4 * d + 10, rows_written: 0 },
  'URL of a version': { trips: 1, rows_read: 4 * d + 10, rows_written: 0 },
  quota: { trips: 1, rows_read: 3, rows_written: 0 },
  'start an upload': { trips: 1, rows_read: 4 * d + 30, r2_calls: 0 },
  'start a replacing upload': { trips: 1, rows_read: 4 * d + 30, r2_calls: 0 },
  'complete an upload': { trips: 2, rows_read: 4 * d + 60, r2_calls: 2 },
  'complete a replacing upload': { trips: 2, rows_read: 4 * d + 60, r2_calls: 2 },
  'create a file with its content': content,
  'replace the content of a file': content,
  'read the content of a file': { ...content, rows_written: 0 },
  'branch an asset': { rows_read: 32, r2_calls: 1 },
  'write a save': save,
  'read a save': { ...save, saves_rows_written: 0 },
  'list saves': { ...save, saves_rows_written: 0 },
  'delete 11 items permanently': removal,
  'empty the trash of one file': removal,
  'ask to erase a user': removal,
}

/** Measures the requests of a day, of a player with a dozen files in a nested folder, and rare ones. */
export async function measureDay(costs: Measuring, { ada, bob, folder, slots, count }: World): Promise<void> {
  const { service } = costs
  const measure: Measure = (request, send, status) => costs.measure(request, send, status, budgets[request])
  const towers = bytes('twelve towers')
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })
  const declared = { size_bytes: towers.length, mime_type: 'application/octet-stream' }
  const file = { upload_type: 'file', name: 'slot-12.sav', parent_id: folder.id, ...declared }
  const upload = made(
    AnyUpload,
    await measure('start an upload', () => ada.startUpload(file, key()), 201),
    201,
  )
  expect((await put(upload, towers)).status).toBe(200)
  await measure('complete an upload', () => ada.complete(upload))
  const saved = upload.file?.id ?? ''
  const again = { upload_type: 'file', file_id: saved, ...declared }
  const replacing = made(
    AnyUpload,
    await measure('start a replacing upload', () => ada.startUpload(again, key()), 201),
    201,
  )
  expect((await put(replacing, towers)).status).toBe(200)
  await measure('complete a replacing upload', () => ada.complete(replacing))

  // Another player's, whose rows precede ada's in each index: what ada's requests read stays the same.
  const abe = count > 0 ? ada : await signUp('abe', service)
  const deep = await abe.folder('saves', { in: await abe.folder('game') })
  const small = { name: 'slot-1.sav', parent_id: deep.id }
  for (let i = 0; i < 11; i++) await abe.createContent(towers, small)
  const { id } = made(
    records.FileRecord,
    await measure('create a file with its content', () => abe.createContent(towers, small, key()), 201),
    201,
  )
  await measure('replace the content of a file', () => abe.replaceContent(id, towers))
  await measure('read the content of a file', () => abe.readContent(id))

  await measure('list files', () => ada.get(`/files?parent_id=${folder.id}`))
  await measure('get a file', () => ada.get(`/files/${saved}`))
  await measure('download URL', () => ada.get(`/files/${saved}/url`))
  const ids = [saved, ...slots].slice(0, 12)
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
  await measure('show a profile picture', () => show(picture_url ?? null, {}, service))

  const world = { upload_type: 'game_asset', name: 'castle', asset_type: 'world', ...declared }
  const building = made(
    AnyUpload,
    await measure('start an upload of an asset', () => ada.startUpload(world, key()), 201),
    201,
  )
  expect((await put(building, towers)).status).toBe(200)
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
  await measure('show a preview', () => show(preview_url, {}, service))
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
  const socket = () => upgrade({ Authorization: `Bearer ${ada.token}` }, '', service)
  const { webSocket } = await measure('open a socket', socket, 101)
  webSocket?.accept()
  webSocket?.close()

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

  await measureSaves(measure, ada, service)

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

  toNextSecond()
  await measure('make an old version the newest', () => ada.rollBack(asset, { from_version: 1 }, key()), 201)
  toNextSecond()
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
}
