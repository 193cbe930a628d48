import { env } from 'cloudflare:test'
import type { SQL } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { browseAssets, listAssets } from '../../src/features/assets/list.ts'
import { signPreviews } from '../../src/features/assets/preview-url.ts'
import { readAsset } from '../../src/features/assets/read.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { listFavorites } from '../../src/features/favorites/list.ts'
import { setFavorite } from '../../src/features/favorites/set.ts'
import { createFolder } from '../../src/features/files/create.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import { listFiles } from '../../src/features/files/list.ts'
import { readFile } from '../../src/features/files/read.ts'
import { findPreview } from '../../src/features/previews/preview.ts'
import { listSharedWith, sharedUrl } from '../../src/features/shares/read.ts'
import { revokeShare } from '../../src/features/shares/revoke.ts'
import { listTrash } from '../../src/features/trash/list.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { readUpload } from '../../src/features/uploads/row.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset, blockFile } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { prepare } from '../../src/platform/db/sql.ts'
import { asset, file, folder, newAsset, preview, there } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, homeOf } from '../support/databases.ts'
import { leftOf, page, publish, scene, share } from '../support/erasing.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { died, dieEverywhere } from '../support/mortal.ts'
import { expectRecordsAndObjectsAgree, runEach, runJobIn } from '../support/objects.ts'

afterEach(() => vi.restoreAllMocks())

const nothing = {
  files: 0,
  uploads: 0,
  assets: 0,
  shares: 0,
  usage: 0,
  keys: 0,
  erasures: 0,
  total: 0,
  used_bytes: 0,
}

/** Of the catalogue: the first page of everything. */
const everything = {
  ...page,
  type: undefined,
  tag: [],
  exclude_tag: [],
  owner_id: undefined,
  q: undefined,
  sort: 'published' as const,
}

/** The lists of a user of whom nothing is seen. */
const invisible = { files: [], trash: [], assets: [], deleted: [], shares: [], found: [], favorites: [] }

/** The user's own lists, and the user's resources in the lists of others. */
async function visibleOf(work: RequestContext) {
  const assets = async (deleted: boolean) =>
    (await listAssets(work, { ...page, type: undefined, deleted })).rows.map(({ name }) => name).sort()
  const files = await listFiles(work, { ...page, parent_id: undefined, asset_type: undefined, sort: 'name' })
  const found = await browseAssets(work, { ...everything, q: 'sourc' })
  const favorites = await listFavorites(work, page)
  return {
    files: files.rows.map(({ name }) => name),
    trash: (await listTrash(work, page)).rows.map(({ name }) => name),
    assets: await assets(false),
    deleted: await assets(true),
    shares: (await listSharedWith(work, page)).rows.map(({ id }) => id),
    found: found.rows.filter(({ owner_id }) => owner_id === work.user_id).map(({ id }) => id),
    favorites: favorites.rows.map(({ name }) => name),
  }
}

/** Tells of each of these previews whether a signed URL of its owner shows it. */
async function previewsAsShown(
  owner: RequestContext,
  previews: { id: string; preview_key: string | null }[],
) {
  const expires = Math.floor(owner.now_ms / 1_000) + 60
  const signature = await signPreviews(owner.config, owner.user_id, expires)
  const isShown = async ({ id, preview_key }: (typeof previews)[number]) =>
    (await findPreview(owner, id, preview_key ?? '', { expires: `${expires}`, signature })) !== undefined
  return () => Promise.all(previews.map(isShown))
}

/** Erases a user by a request that is cut off right after its mark. */
async function markOnly(work: RequestContext): Promise<void> {
  const inboxes = overridden(work.inboxes, {
    getByName: () => ({ erase: () => Promise.reject(new Error('cut off')) }),
  })
  await expect(eraseUser({ ...work, inboxes }, work.user_id)).rejects.toThrow()
}

describe('erasing a user', () => {
  it('hides everything by one mark before the job has removed it, and shows what the user makes afterwards', async () => {
    const { ada, bob, top, inside, source, theirs } = await scene()
    const shared = await share(ada, inside.id, bob)
    const key = {
      caller_id: ada.user_id,
      key: 'a',
      request_hash: 'the same',
      now: Math.floor(ada.now_ms / 1000),
    }
    const input = { name: 'made', asset_type: 'folder' as const, parent_id: null }
    const first = await createFolder(ada, input, key)
    const trashed = await folder(ada, 'trashed')
    await deleteFile(ada, trashed.id)
    const open = await newAsset(ada, 'coming')
    const liked = await asset(bob, 'liked', 'public')
    await setFavorite(ada, liked.id)
    const previews = [await preview(ada, source.id), await preview(ada, (await asset(ada, 'private')).id)]
    const areShown = await previewsAsShown(ada, previews)
    expect(await areShown()).toEqual([true, true])
    await markOnly(ada)
    expect(await areShown()).toEqual([false, false])
    expect(await visibleOf(ada)).toEqual(invisible)
    expect((await browseAssets(bob, everything)).rows.map(({ id }) => id)).not.toContain(source.id)
    const hidden = [
      () => readFile(ada, top.id),
      () => readAsset(bob, source.id),
      () => readUpload(ada, open.upload.id),
      () => completeUpload(ada, open.upload.id),
      () => branchAsset(bob, source.id, { name: 'late' }),
      () => sharedUrl(bob, shared.id),
      () => revokeShare(bob, shared.id),
      () => restoreFile(ada, trashed.id),
      () => folder(ada, 'inside', top.id),
      () => share(ada, inside.id, bob),
      () => blockFile(bob, top.id),
      () => blockAsset(bob, source.id),
      () => editAsset(ada, source.id, { name: 'again' }),
      () => deleteFile(ada, top.id),
      () => deleteAsset(ada, source.id, { permanent: true }),
    ]
    for (const [index, call] of hidden.entries())
      await expect(call(), `${index}`).rejects.toThrow(/NOT_FOUND/)
    const again = await createFolder(ada, input, key)
    expect(again.id).not.toBe(first.id)
    expect((await createFolder(ada, input, key)).id).toBe(again.id)
    const world = await asset(ada, 'source', 'public')
    const renamed = await asset(ada, 'other')
    await editAsset(ada, renamed.id, { name: 'coming' })
    const taken = { code: 'DUPLICATE_ASSET_NAME' }
    await expect(branchAsset(ada, world.id, { name: 'coming' })).rejects.toMatchObject(taken)
    await expect(editAsset(ada, renamed.id, { name: 'source' })).rejects.toMatchObject(taken)
    const given = await share(bob, theirs.id, ada)
    await setFavorite(ada, liked.id)
    const gone = await folder(ada, 'gone')
    await deleteFile(ada, gone.id)
    const now = {
      files: ['made'],
      trash: ['gone'],
      assets: ['coming', 'source'],
      deleted: [],
      shares: [given.id],
      found: [world.id],
      favorites: ['liked'],
    }
    expect(await visibleOf(ada)).toEqual(now)
    await runJobIn(0)
    expect(await visibleOf(ada)).toEqual(now)
    const erasures = new Set([homeOf(ada.user_id), homeOf(bob.user_id)]).size
    expect(await leftOf(ada.user_id)).toMatchObject({ files: 2, assets: 2, shares: 1, keys: 1, erasures })
    await markOnly(ada)
    expect(await visibleOf(ada)).toEqual(invisible)
    await runJobIn(0)
    await runJobIn(0.01)
    // The home ends its mark after the other databases have ended theirs.
    if (databaseNames.length > 1) await runJobIn(0.02)
    expect(await leftOf(ada.user_id)).toEqual(nothing)
    await expectSound(bob.user_id)
  })

  it('leaves no record whose updated_at is before its created_at', async () => {
    const ada = contextOf(newUserId())
    await eraseUser(ada, ada.user_id)
    const top = await folder(ada, 'top')
    const inside = await folder(ada, 'inside', top.id)
    await deleteFile(ada, inside.id)
    await deleteFile(ada, top.id)
    const made = await asset(ada)
    const changed = await editAsset(ada, made.id, { name: 'changed' })
    await deleteAsset(ada, made.id, { permanent: false })
    const records = {
      'a completed file': await file(ada),
      'a changed folder': await editFile(ada, (await folder(ada, 'a')).id, { name: 'b' }),
      'what is restored to another place': await restoreFile(ada, inside.id),
      'an asset with a version': made,
      'a changed asset': changed,
      'what is restored with another name': await restoreAsset(ada, made.id, { name: 'restored' }),
    }
    const wrong: string[] = []
    for (const [what, { created_at, updated_at }] of Object.entries(records)) {
      expect(created_at, `${what} was made after the erasure`).toBeGreaterThan(ada.now_ms / 1_000 + 59)
      if (updated_at !== created_at) wrong.push(what)
    }
    expect(wrong).toEqual([])
    const later = { ...ada, now_ms: ada.now_ms + 100_000 }
    expect((await editFile(later, inside.id, { name: 'later' })).updated_at).toBe(
      Math.floor(later.now_ms / 1_000),
    )
  })

  // Over three databases, test/shards/erasing.test.ts does the same with shares in each of them.
  it('is finished by the job, or by a repeated request, when the request is cut off at any call', {
    tags: 'release',
    timeout: 120_000,
  }, async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, bob } = await scene()
      const killed = await died(eraseUser(dying(ada), ada.user_id))
      const isRecorded = await homeOf(ada.user_id)
        .prepare('SELECT 1 AS one FROM erasures WHERE user_id = ?')
        .bind(ada.user_id)
        .first()
      if (!isRecorded) await eraseUser(ada, ada.user_id)
      await runEach(0)
      await runEach(0.01)
      await runEach(0.01)
      if (databaseNames.length > 1) await runEach(0.02)
      expect(await leftOf(ada.user_id)).toEqual(nothing)
      await expectSound(bob.user_id)
      return killed
    })
    // The mark, the inbox, and the first rows.
    expect(deaths).toBeGreaterThan(2)
    await runJobIn(3)
    await expectRecordsAndObjectsAgree()
  })

  it('empties the inbox at each erasure, also when the later one comes from a Worker whose clock is behind', async () => {
    const ada = contextOf(newUserId())
    const inbox = env.INBOX.getByName(ada.user_id)
    const now = Date.now()
    const marks: string[] = []
    for (const seconds of [30, -30, -30, 0, 31]) {
      vi.spyOn(Date, 'now').mockReturnValue(now + seconds * 1_000)
      await publish(ada)
      await eraseUser({ ...ada, now_ms: Date.now() }, ada.user_id)
      expect((await inbox.counts()).total, `by a clock ${seconds} seconds ahead`).toBe(0)
      const row = homeOf(ada.user_id).prepare('SELECT mark FROM erasures WHERE user_id = ?').bind(ada.user_id)
      marks.push(String(await row.first('mark')))
    }
    expect(marks).toEqual(marks.toSorted())
    await publish(ada)
    for (const mark of marks) expect(await inbox.erase(mark), 'each counts once').toBe(0)
    expect((await inbox.counts()).total).toBe(1)
  })

  it('goes on for other users when one inbox does not answer, and when many users wait', async () => {
    const users = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const work = contextOf(newUserId())
        await folder(work, 'folder')
        await homeOf(work.user_id)
          .prepare(`INSERT INTO erasures (user_id, until, mark) VALUES (?, ?, '')`)
          .bind(work.user_id, Math.floor(Date.now() / 1_000) + 60)
          .run()
        return work
      }),
    )
    const sick = there(users[0]).user_id
    const inboxes = overridden(env.INBOX, {
      getByName: (name: string) =>
        name === sick ? { erase: () => Promise.reject(new Error('sick')) } : env.INBOX.getByName(name),
    })
    for (const days of [0, 0.01, 0.02]) await runEach(days, { inboxes })
    for (const { user_id } of users.slice(1)) expect(await leftOf(user_id)).toEqual(nothing)
    expect(await leftOf(sick)).toMatchObject({ files: 0, erasures: 1 })
    await runEach(0.03)
    expect(await leftOf(sick)).toEqual(nothing)
  })
})

describe('a retry that is under way while its user is erased', () => {
  it('creates the resource again, as if the request had come after the erasure', async () => {
    const ada = contextOf(newUserId())
    const key = {
      caller_id: ada.user_id,
      key: 'a',
      request_hash: 'the same',
      now: Math.floor(ada.now_ms / 1000),
    }
    const input = { name: 'a', asset_type: 'folder' as const, parent_id: null }
    const first = await createFolder(ada, input, key)
    let isErased = false
    const db = overridden(ada.db, {
      // The key still exists, but its resource is gone when the request reads it.
      read: async (query: SQL) => {
        const rows = await ada.db.read(query)
        if (prepare(query).sql.includes('FROM idempotency') && !isErased) {
          isErased = true
          await eraseUser(ada, ada.user_id)
        }
        return rows
      },
    })
    const again = await createFolder({ ...ada, db }, input, key)
    expect(isErased).toBe(true)
    expect(again.id).not.toBe(first.id)
    expect(again.name).toBe('a')
  })
})
