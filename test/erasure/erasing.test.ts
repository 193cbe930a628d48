import { describe, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { Device, publishTo } from '../support/device.ts'
import { expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { operator } from '../support/user.ts'

const data = { from_user_id: 7, from_display_name: 'Bob' }

async function erase(user: Creator) {
  const answer = await (await operator('users:erase')).request('DELETE', `/users/${user.id}`)
  expect([answer.status, answer.text]).toEqual([202, ''])
}

/** A user with something of everything, and a friend who has to do with it. */
async function scene() {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const folder = await ada.folder('folder')
  const file = await ada.file('file', 'a', { parent_id: folder.id })
  const trashed = await ada.folder('trashed', { in: folder })
  await ada.delete(trashed)
  const { asset, upload: published } = await ada.publish({
    name: 'asset',
    asset_type: 'world',
    visibility: 'public',
  })
  const deleted = await ada.asset('deleted')
  await ada.deleteAsset(deleted)
  const branch = (await bob.branched(asset, 'branch')).asset
  const upload = await ada.upload({ size_bytes: 3, parent_id: folder.id })
  const version = await ada.startContent({ asset_id: asset.id, size_bytes: 3 })
  const given = await ada.share(file, bob)
  const taken = await bob.share(await bob.file('bob’s', 'b'), ada)
  const social = await operator('notifications:publish')
  const json = { user_id: ada.id, type: 'friend_request', data }
  await social.request('POST', '/notifications', { json })
  return { ada, bob, folder, file, trashed, asset, published, deleted, branch, upload, version, given, taken }
}

describe('DELETE /v1/users/{user_id}', () => {
  it('leaves nothing that the user or anybody else could read, and an empty account', async () => {
    const { ada, bob, folder, file, trashed, asset, published, deleted, upload, given, taken } = await scene()
    await erase(ada)
    for (const { id } of [folder, file, trashed])
      for (const path of [`/files/${id}`, `/files/${id}/url`, `/files/${id}/shares`])
        expect(await ada.get(path), path).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await ada.names()).toEqual([])
    expect(await ada.trashed()).toEqual([])
    expect(await ada.restore(trashed)).toBeProblem(404, 'FILE_NOT_FOUND')
    for (const user of [ada, bob])
      for (const { id } of [asset, deleted])
        for (const end of ['', '/versions', '/versions/1/url', '/branches'])
          expect(await user.get(`/game/assets/${id}${end}`), end).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.restoreAsset(deleted)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.assetNames('/assets?deleted=true')).toEqual([])
    expect((await bob.get('/game/public?q=asset')).text).not.toContain(asset.id)
    for (const { id } of [upload, published])
      expect(await ada.get(`/uploads/${id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await bob.sharedUrl(given)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect(await ada.sharedUrl(taken)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect(await ada.sharedWithMe()).toEqual([])
    expect((await ada.get('/notifications')).body).toEqual({ notifications: [], total: 0, unread: 0 })
    expect(await ada.quota()).toMatchObject({ used_bytes: 0 })
  })

  it('leaves what is other people’s, and a branch its content', async () => {
    const { ada, bob, branch } = await scene()
    await erase(ada)
    await runJobIn(3)
    expect(await bob.contentOf(branch, 1)).toBe('content')
    expect(await bob.names()).toEqual(['bob’s'])
    expect(await bob.quota()).toMatchObject({ used_bytes: 8 })
    await expectSound(bob.id)
    await expectRecordsAndObjectsAgree()
  })

  it('can be repeated, and asked for somebody who was never seen', async () => {
    const { ada } = await scene()
    for (let i = 0; i < 2; i++) await erase(ada)
    await runJobIn(3)
    await erase(ada)
    await erase(await signUpCreator('nobody'))
    expect(await ada.names()).toEqual([])
  })

  it('lets the user begin anew, with the usual limit, and never takes what comes long after', async () => {
    const { ada } = await scene()
    await (await operator('quota:write')).request('PUT', `/users/${ada.id}/quota`, {
      json: { limit_bytes: 7 },
    })
    await erase(ada)
    expect(await ada.quota()).toMatchObject({ limit_bytes: 5 * 1024 ** 3, used_bytes: 0 })
    await runJobIn(1)
    await ada.folder('new')
    await runJobIn(2)
    expect(await ada.names()).toEqual(['new'])
    await expectSound(ada.id)
  })

  it('leaves a limit alone that was given afterwards', async () => {
    const { ada } = await scene()
    await erase(ada)
    await (await operator('quota:write')).request('PUT', `/users/${ada.id}/quota`, {
      json: { limit_bytes: 7 },
    })
    await runJobIn(1)
    expect(await ada.quota()).toMatchObject({ limit_bytes: 7 })
  })

  it('lets a device that lists afterwards go on from there', async () => {
    const { ada } = await scene()
    const early = await Device.of(ada)
    await erase(ada)
    expect((await early.closed).code).toBe(4410)
    const after = Number((await ada.get('/notifications')).headers.get('X-Inbox-Seq'))
    await publishTo(ada)
    const device = await Device.of(ada, { after })
    expect(device.ready.data.recovered).toBe(true)
    expect((await device.next()).seq).toBe(after + 1)
    expect((await Device.of(ada, { after: after - 1 })).ready.data.recovered).toBe(false)
  })

  it('never turns the inbox’s seq back', async () => {
    const { ada } = await scene()
    const before = Number((await ada.get('/notifications')).headers.get('X-Inbox-Seq'))
    await erase(ada)
    const after = Number((await ada.get('/notifications')).headers.get('X-Inbox-Seq'))
    expect(after).toBeGreaterThan(before)
  })
})
