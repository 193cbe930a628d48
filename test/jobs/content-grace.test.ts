import { env } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset, markAssetsPurging } from '../../src/features/assets/delete.ts'
import { deleteVariant } from '../../src/features/assets/delete-variant.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import { variantsOf } from '../../src/features/assets/variants.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import { configuration } from '../../src/platform/config/configuration.ts'
import { keptUntil, type RequestContext } from '../../src/platform/context.ts'
import {
  asset,
  complete,
  file,
  folder,
  preview,
  replaceAtOnce,
  replacement,
  there,
  variant,
  version,
} from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound, keysInBucket } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { png } from '../support/pictures.ts'

const IOS = { version: 1, platform: 'ios' }
const GRACE = { CONTENT_GRACE_DAYS: 7 }
/** What the deletion of an object takes beside the grace: a URL, a PUT under way, and a day for what branches share. */
const AFTERWARDS = 4

const someone = (days = 0, limits = GRACE) =>
  contextOf(newUserId(), { now_ms: Date.now() + days * 86_400_000 }, limits)
const at = (work: RequestContext, days: number) =>
  contextOf(work.user_id, { now_ms: Date.now() + days * 86_400_000 }, work.config)
const isThere = async (key: string | null | undefined) =>
  (await env.BUCKET.head(there(key ?? undefined))) !== null
const contentOf = async (asset_id: string): Promise<string> => {
  const select = 'SELECT object_key FROM asset_versions WHERE asset_id = ? ORDER BY version DESC LIMIT 1'
  return there(
    (await databaseOf(asset_id).prepare(select).bind(asset_id).first<string>('object_key')) ?? undefined,
  )
}
const used = async (work: RequestContext) =>
  (
    await work.db.read<{ used_bytes: number }>(
      sql`SELECT used_bytes FROM usage WHERE user_id = ${work.user_id}`,
    )
  )[0]?.used_bytes

/** The bytes of the user's content that waits out its grace. */
const kept = async (work: RequestContext) =>
  (
    await work.db.read<{ kept_bytes: number }>(
      sql`SELECT kept_bytes FROM usage WHERE user_id = ${work.user_id}`,
    )
  )[0]?.kept_bytes

async function purge(work: RequestContext, id: string): Promise<void> {
  await deleteFile(work, id)
  await purgeFile(work, id)
}

it('the content of a file that was deleted permanently stays as long, and counts with nobody', async () => {
  const ada = someone()
  const { id, object_key } = await file(ada)
  await purge(ada, id)
  expect(await used(ada)).toBe(0)
  await runJobIn(6, GRACE)
  expect(await isThere(object_key)).toBe(true)
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect(await isThere(object_key)).toBe(false)
  await expectSound(ada.user_id)
})

it('content that was replaced stays as long', async () => {
  const ada = someone()
  const { id, object_key } = await file(ada)
  const { upload } = await replacement(ada, id)
  await arrive(upload.id)
  await complete(ada, upload.id)
  await runJobIn(6, GRACE)
  expect(await isThere(object_key)).toBe(true)
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect([await isThere(object_key), await isThere(upload.id)]).toEqual([false, true])
})

it('the content of an asset stays as long after its last version, and after the last branch of others', async () => {
  const [ada, bob] = [someone(), someone()]
  const { id } = await asset(ada, 'castle', 'public')
  const object_key = await contentOf(id)
  const branch = await branchAsset(bob, id, { name: 'branch' })
  await deleteAsset(ada, id, { permanent: true })
  expect(await kept(ada)).toBe(3)
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect(await isThere(object_key), 'while there is a branch').toBe(true)
  expect(await kept(ada), 'its own grace is over').toBe(0)
  await deleteAsset(at(bob, 12), branch.asset.id, { permanent: true })
  await runJobIn(12 + 6, GRACE)
  expect(await isThere(object_key), 'after the branch').toBe(true)
  await runJobIn(12 + 7 + AFTERWARDS, GRACE)
  expect(await isThere(object_key), 'in the end').toBe(false)
})

it('the content of a version that was deleted alone stays as long, and only then', async () => {
  const ada = someone()
  const { id } = await asset(ada, 'castle')
  const object_key = await contentOf(id)
  await version(ada, id)
  await deleteVersion(ada, id, 1)
  expect(await used(ada)).toBe(3)
  await runJobIn(6, GRACE)
  expect(await isThere(object_key)).toBe(true)
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect([await isThere(object_key), await isThere(await contentOf(id))]).toEqual([false, true])
  await expectSound(ada.user_id)
})

it('the marker of a branch’s version that was deleted alone stays as long as its content may be needed again', async () => {
  const [ada, bob] = [someone(), someone()]
  const { id } = await asset(ada, 'castle', 'public')
  const object_key = await contentOf(id)
  const branch = await branchAsset(bob, id, { name: 'branch' })
  await version(bob, branch.asset.id)
  await deleteAsset(ada, id, { permanent: true })
  await deleteVersion(at(bob, 6), branch.asset.id, 1)
  await runJobIn(12, GRACE)
  expect(await isThere(object_key), 'within the grace of the branch').toBe(true)
  await runJobIn(6 + 7 + AFTERWARDS, GRACE)
  expect(await isThere(object_key), 'after it').toBe(false)
  await expectSound(ada.user_id, bob.user_id)
})

it('what an erased user had goes at once: the content of a version that was deleted alone, too', async () => {
  const ada = someone()
  const { id } = await asset(ada, 'castle')
  const object_key = await contentOf(id)
  await version(ada, id)
  await deleteVersion(ada, id, 1)
  await runJobIn(1, GRACE)
  expect(await isThere(object_key)).toBe(true)
  await eraseUser(at(ada, 1), ada.user_id)
  await runJobIn(2, GRACE)
  expect(await isThere(object_key)).toBe(false)
})

it('the end of a branch does not shorten how long its source’s content stays', async () => {
  const [ada, bob] = [someone(), someone()]
  const { id } = await asset(ada, 'forest', 'public')
  const object_key = await contentOf(id)
  await branchAsset(bob, id, { name: 'branch' })
  await deleteAsset(ada, id, { permanent: true })
  await eraseUser(at(bob, 1), bob.user_id)
  await runJobIn(6, GRACE)
  expect(await isThere(object_key)).toBe(true)
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect(await isThere(object_key)).toBe(false)
})

it('what an erased user had goes at once, also what stayed since a deletion before', async () => {
  const ada = someone()
  const [deleted, kept] = [await file(ada), await file(ada)]
  const [castle, forest] = [await asset(ada, 'castle'), await asset(ada, 'forest')]
  await version(ada, forest.id)
  const objects = [
    deleted.object_key,
    kept.object_key,
    await contentOf(castle.id),
    await contentOf(forest.id),
  ]
  await purge(ada, deleted.id)
  await deleteAsset(ada, castle.id, { permanent: true })
  await runJobIn(1, GRACE)
  expect(await Promise.all(objects.map(isThere))).toEqual([true, true, true, true])
  await eraseUser(at(ada, 1), ada.user_id)
  await runJobIn(2, GRACE)
  expect(await Promise.all(objects.map(isThere))).toEqual([false, false, false, false])
})

it('an asset that its owner deleted before an erasure keeps nothing, though its versions and variants go afterwards', async () => {
  const [ada, bob] = [someone(), someone()]
  const { id } = await asset(ada)
  const variants = await variant(ada, id, IOS)
  const { id: source } = await asset(bob, 'source', 'public')
  await variant(bob, source, IOS)
  const { asset: branch } = await branchAsset(ada, source, { name: 'branch' })
  const objects = [await contentOf(id), ...variantsOf(variants).map(({ object_key }) => object_key)]
  await ada.db.write(markAssetsPurging(sql`owner_id = ${ada.user_id}`, ada.now_ms, keptUntil(ada)))
  await eraseUser(ada, ada.user_id)
  await runJobIn(1, GRACE)
  expect(await Promise.all(objects.map(isThere))).toEqual([false, false])
  expect((await keysInBucket('refs/')).filter((key) => key.endsWith(branch.id))).toEqual([])
})

it('the content of a variant that was deleted alone stays as long, and a refused deletion keeps nothing', async () => {
  const ada = someone()
  const { id } = await asset(ada)
  const [ios] = variantsOf(await variant(ada, id, IOS))
  await expect(deleteVariant(ada, id, IOS, [99])).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
  await expect(deleteVariant(ada, id, { ...IOS, platform: 'x' })).rejects.toMatchObject({
    code: 'VARIANT_NOT_FOUND',
  })
  await expectSound(ada.user_id)
  await deleteVariant(ada, id, IOS)
  await expectSound(ada.user_id)
  expect([await used(ada), await kept(ada)]).toEqual([3, 3])
  await runJobIn(6, GRACE)
  expect(await isThere(ios?.object_key)).toBe(true)
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect(await isThere(ios?.object_key)).toBe(false)
})

it('what is made after an erasure stays like that of everybody', async () => {
  const ada = someone()
  await file(ada)
  await eraseUser(ada, ada.user_id)
  const { id, object_key } = await file(ada)
  await purge(ada, id)
  await runJobIn(6, GRACE)
  expect(await isThere(object_key)).toBe(true)
})

it('blocked content stays, and nobody can read it', async () => {
  const ada = someone()
  const { id, object_key } = await file(ada)
  await blockFile(contextOf(newUserId()), id, { reason: 'a reason' })
  await purge(ada, id)
  await runJobIn(6, GRACE)
  expect(await isThere(object_key)).toBe(true)
  expect(await ada.db.read(sql`SELECT id FROM files WHERE id = ${id}`)).toEqual([])
})

it('without a grace the content goes as soon as the job runs, and the row says nothing of it', async () => {
  const ada = someone(0, { CONTENT_GRACE_DAYS: 0 })
  const { id, object_key } = await file(ada)
  await purge(ada, id)
  const row = databaseOf(id).prepare('SELECT next_at, kept_until, kept_for FROM garbage WHERE object_key = ?')
  expect(await row.bind(object_key).first()).toEqual({ next_at: 0, kept_until: null, kept_for: null })
  await runJobIn(0)
  expect(await isThere(object_key)).toBe(false)
})

it('unless something else is set the content stays for seven days', async () => {
  const { config } = configuration({ ...env, ...{ CONTENT_GRACE_DAYS: '' } })
  const ada = someone(0, there(config))
  const { id, object_key } = await file(ada)
  await purge(ada, id)
  await runJobIn(6.9, config)
  expect(await isThere(object_key)).toBe(true)
  await runJobIn(7 + AFTERWARDS, config)
  expect(await isThere(object_key)).toBe(false)
})

it('content that was replaced stays until the URLs to it have expired, when the grace ends before', async () => {
  const limits = { CONTENT_GRACE_DAYS: 1, DOWNLOAD_URL_TTL: 3 * 86_400 }
  const ada = someone(0, limits)
  const { id, object_key } = await file(ada)
  await replaceAtOnce(ada, id, 4)
  await runJobIn(2, limits)
  expect(await isThere(object_key)).toBe(true)
  await runJobIn(3 + AFTERWARDS, limits)
  expect(await isThere(object_key)).toBe(false)
})

it('content that was replaced has no grace beyond as many bytes as the quota: it goes once the URLs to it have expired', async () => {
  const ada = someone(0, { ...GRACE, ...{ DEFAULT_QUOTA_BYTES: 10 } })
  const { id } = await file(ada, null, 4)
  const keys: string[] = []
  const replace = async (work: RequestContext) => {
    const [before] = await work.db.read<{ object_key: string }>(
      sql`SELECT object_key FROM files WHERE id = ${id}`,
    )
    keys.push(there(before).object_key)
    await replaceAtOnce(work, id, 4)
  }
  for (let turn = 0; turn < 3; turn++) await replace(ada)
  expect(await kept(ada)).toBe(8)
  await expectSound(ada.user_id)
  const left = () => Promise.all(keys.map(isThere))
  await runJobIn(0.01, GRACE)
  expect(await left(), 'a URL may lead to the last').toEqual([true, true, true])
  await runJobIn(0.02, GRACE)
  expect(await left()).toEqual([true, true, false])
  await runJobIn(7 + AFTERWARDS, GRACE)
  expect([await left(), await kept(ada)]).toEqual([[false, false, false], 0])
  const later = at(ada, 7 + AFTERWARDS)
  await replace(later)
  await runJobIn(7 + AFTERWARDS + 6, GRACE)
  expect([await left(), await kept(ada)]).toEqual([[false, false, false, true], 4])
  await expectSound(ada.user_id)
})

it('a purge keeps what fits into as many bytes as the quota', async () => {
  const ada = someone(0, { ...GRACE, ...{ DEFAULT_QUOTA_BYTES: 10 } })
  const outer = await folder(ada, 'outer')
  const [one, other] = [await file(ada, outer.id, 4), await file(ada, outer.id, 4)]
  await replaceAtOnce(ada, one.id, 4)
  await purge(ada, outer.id)
  for (const days of [0, 0.02]) await runJobIn(days, GRACE)
  expect([await used(ada), await kept(ada)]).toEqual([0, 8])
  expect(await isThere(one.object_key), 'it was replaced before').toBe(true)
  const left = databaseOf(outer.id).prepare('SELECT count(*) AS kept FROM garbage WHERE kept_for = ?')
  expect(await left.bind(ada.user_id).first()).toEqual({ kept: 2 })
  expect(other.size_bytes).toBe(4)
  await expectSound(ada.user_id)
})

it('versions and previews have no grace beyond it, either', async () => {
  const size = 3 + png.length
  const ada = someone(0, { ...GRACE, ...{ DEFAULT_QUOTA_BYTES: size + 1 } })
  const objects: string[] = []
  for (const name of ['first', 'second']) {
    const { id } = await asset(ada, name)
    const { preview_key } = await preview(ada, id)
    objects.push(await contentOf(id), there(preview_key ?? undefined))
    await deleteAsset(ada, id, { permanent: true })
    expect([await used(ada), await kept(ada)]).toEqual([0, size])
  }
  await runJobIn(0.01, GRACE)
  await runJobIn(2, GRACE)
  expect(await Promise.all(objects.map(isThere))).toEqual([true, true, false, false])
  await eraseUser(ada, ada.user_id)
  for (const days of [2.01, 2.02]) await runJobIn(days, GRACE)
  expect([await isThere(objects[0]), (await kept(ada)) ?? 0]).toEqual([false, 0])
  await expectSound(ada.user_id)
})

it('the content that a branch of others keeps counts with the branch’s owner, and has no grace beyond the limit, either', async () => {
  const limits = { ...GRACE, ...{ DEFAULT_QUOTA_BYTES: 4 } }
  const [ada, bob] = [someone(0, limits), someone(0, limits)]
  const objects: string[] = []
  for (const name of ['first', 'second']) {
    const { id } = await asset(ada, name, 'public')
    objects.push(await contentOf(id))
    const branch = await branchAsset(bob, id, { name })
    await deleteAsset(ada, id, { permanent: true })
    await deleteAsset(bob, branch.asset.id, { permanent: true })
    expect([await kept(ada), await kept(bob)], name).toEqual([3, 3])
  }
  for (const days of [0.01, 1.5, 3]) await runJobIn(days, GRACE)
  expect(await Promise.all(objects.map(isThere))).toEqual([true, false])
  await expectSound(ada.user_id, bob.user_id)
})
