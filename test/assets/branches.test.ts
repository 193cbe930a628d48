import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { comparable, made } from '../support/answer.ts'
import { type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { countOf } from '../support/databases.ts'
import { newKey, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runEach, runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

const VersionsOf = z.object({ versions: z.array(records.Version) })

/** Ada's asset with two versions, and Bob. */
async function scene(declared: Record<string, unknown> = { visibility: 'public' }) {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const source = await ada.asset('source', { asset_type: 'prop', ...declared }, 'first')
  await ada.version(source, 'second!')
  return { ada, bob, source }
}

describe('POST /v1/game/assets/{id}/branch', () => {
  it('makes a private asset of the caller’s out of the latest version of a public one', async () => {
    const { ada, bob, source } = await scene()
    const answer = await bob.branch(source, { name: ' mine ', visibility: 'public', type: 'world' })
    const { asset, version } = made(records.Branch, answer, 201)
    expect(answer.body).toEqual({
      asset: {
        id: asset.id,
        owner_id: bob.id,
        type: 'prop',
        name: 'mine',
        description: '',
        tags: [],
        metadata: {},
        visibility: 'private',
        listed: true,
        rating: null,
        preview_url: null,
        preview_width: null,
        preview_height: null,
        current_version: 1,
        favorites: 0,
        published_at: null,
        created_at: expect.any(Number),
        updated_at: asset.created_at,
      },
      version: {
        id: expect.any(String),
        asset_id: asset.id,
        version: 1,
        size_bytes: 7,
        checksum_sha256: null,
        notes: null,
        min_build: null,
        max_build: null,
        created_at: asset.created_at,
        branched_from_asset_id: source.id,
        branched_from_version: 2,
        platform: null,
        variants: [],
      },
    })
    expect(answer.headers.get('Location')).toBe(`/v1/game/assets/${asset.id}`)
    expect((await bob.readAsset(asset)).body).toEqual({ ...asset, versions: [version] })
    expect(await bob.readVersion(asset, 1)).toEqual(version)
    expect(await bob.contentOf(asset, 1)).toBe('second!')
    expect(await ada.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.versions(source)).toEqual([2, 1])
  })

  it('takes any version, of one’s own private asset, too, and of a branch', async () => {
    const { ada, bob, source } = await scene({})
    const first = made(records.Branch, await ada.branch(source, { name: 'a', from_version: 1 }), 201)
    expect(first.version).toMatchObject({ branched_from_asset_id: source.id, branched_from_version: 1 })
    const { asset, version } = await ada.branched(first.asset, 'b')
    expect(version).toMatchObject({ branched_from_asset_id: first.asset.id, branched_from_version: 1 })
    expect(await ada.contentOf(asset, 1)).toBe('first')
    expect((await ada.quota()).used_bytes).toBe(5 + 7 + 5 + 5)
    expect(await bob.branch(source, { name: 'a' })).toBeProblem(404, 'ASSET_NOT_FOUND')
    await expectSound(ada.id)
  })

  it('gives a branch versions of its own: only its first tells where it came from', async () => {
    const { bob, source } = await scene()
    const { asset } = await bob.branched(source)
    expect((await bob.version(asset, 'bobs')).version).toBe(2)
    await bob.rollBack(asset, { from_version: 1 })
    for (const number of [2, 3])
      expect(await bob.readVersion(asset, number)).toMatchObject({
        branched_from_asset_id: null,
        branched_from_version: null,
      })
    expect(await Promise.all([1, 2, 3].map((number) => bob.contentOf(asset, number)))).toEqual([
      'second!',
      'bobs',
      'second!',
    ])
    await expectSound(bob.id)
  })

  it('tells of its source only those who may find that, and the owner of either', async () => {
    const { ada, bob, source } = await scene()
    const eve = await signUpCreator('eve')
    const { asset } = await bob.branched(source)
    await bob.editAsset(asset, { visibility: 'public' })
    const seen = async (user: Creator) => {
      const answers = [
        await user.get(`/game/assets/${asset.id}/versions/1`),
        await user.get(`/game/assets/${asset.id}/versions`),
        await user.readAsset(asset),
        await user.get(`/game/public/${asset.type}/${asset.id}`),
      ]
      return answers.map((answer) => {
        const told = made(z.union([records.Version, VersionsOf]), answer, 200)
        const [first] = 'versions' in told ? told.versions : [told]
        return [first?.branched_from_asset_id, first?.branched_from_version]
      })
    }
    const moderator = await operator('content:moderate')
    const steps: [what: string, step: () => Promise<unknown>, told: Creator[]][] = [
      ['public', () => ada.readAsset(source), [ada, bob, eve]],
      ['unlisted', () => ada.editAsset(source, { listed: false }), [ada, bob]],
      ['listed again', () => ada.editAsset(source, { listed: true }), [ada, bob, eve]],
      ['private', () => ada.editAsset(source, { visibility: 'private' }), [ada, bob]],
      ['public again', () => ada.editAsset(source, { visibility: 'public' }), [ada, bob, eve]],
      ['blocked', () => moderator.request('PUT', `/game/assets/${source.id}/block`), [ada, bob]],
      ['free again', () => moderator.request('DELETE', `/game/assets/${source.id}/block`), [ada, bob, eve]],
      ['deleted', () => ada.deleteAsset(source), [bob]],
      ['restored', () => ada.restoreAsset(source), [ada, bob, eve]],
      ['gone for good', () => ada.deleteAsset(source, '?permanent=true'), [bob]],
    ]
    for (const [what, step, told] of steps) {
      await step()
      for (const [name, user] of Object.entries({ ada, bob, eve }))
        expect(await seen(user), `${what}, to ${name}`).toEqual(
          Array.from({ length: 4 }, () => (told.includes(user) ? [source.id, 2] : [null, null])),
        )
    }
  })

  it('knows no version with another number, and takes whole numbers only', async () => {
    const { ada, bob, source } = await scene()
    for (const user of [ada, bob]) {
      for (const from_version of [0, -1, 3, 999, 2 ** 53, 1e300])
        expect(await user.branch(source, { name: 'a', from_version })).toBeProblem(404, 'VERSION_NOT_FOUND')
      for (const from_version of ['1', null, true, [1], 1.5])
        expect(await user.branch(source, { name: 'a', from_version })).toBeProblem(
          400,
          'VALIDATION_FAILED',
          '/from_version',
        )
      expect(await user.branch(source, { name: '', from_version: '1' })).toBeProblem(
        400,
        'ASSET_NAME_REQUIRED',
      )
    }
    expect(await bob.assetNames('/assets')).toEqual([])
  })

  it('refuses an asset without content, whatever the version', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const empty = await ada.emptyAsset('empty', { visibility: 'public' })
    for (const user of [ada, bob])
      for (const from_version of [undefined, 0, -1, 1, 999])
        for (const name of ['a', 'empty'])
          expect(await user.branch(empty, { name, from_version })).toBeProblem(409, 'NO_VERSIONS_TO_BRANCH')
  })

  it('answers alike for what is private, deleted, blocked, gone for good or unknown', async () => {
    const { ada, bob, source } = await scene()
    await bob.emptyAsset('taken')
    await giveQuota(bob, 0)
    const moderator = await operator('content:moderate')
    const hidden = async (hide: (id: string) => Promise<unknown>, content = true) => {
      const declared = { visibility: 'public' }
      const name = crypto.randomUUID()
      const asset = content ? await ada.asset(name, declared) : await ada.emptyAsset(name, declared)
      await hide(asset.id)
      return asset.id
    }
    const ids = [
      await hidden((id) => ada.editAsset(id, { visibility: 'private' })),
      await hidden((id) => ada.editAsset(id, { visibility: 'private' }), false),
      await hidden((id) => ada.deleteAsset(id)),
      await hidden((id) => ada.deleteAsset(id, '?permanent=true')),
      await hidden((id) => moderator.request('PUT', `/game/assets/${id}/block`)),
      'malformed',
    ]
    for (const name of ['new', 'taken'])
      for (const from_version of [undefined, 0, 1, 2]) {
        const unknown = await bob.branch(unknownId, { name, from_version })
        expect(unknown).toBeProblem(404, 'ASSET_NOT_FOUND')
        for (const id of ids)
          expect(comparable(await bob.branch(id, { name, from_version }))).toEqual(comparable(unknown))
      }
    expect(await bob.branch(source, { name: 'new' })).toBeProblem(403, 'QUOTA_EXCEEDED')
    await ada.deleteAsset(source)
    expect(await ada.branch(source, { name: 'new' })).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('counts in full for the new owner, and not for the old, to the byte', async () => {
    const { ada, bob, source } = await scene()
    await giveQuota(bob, 6)
    expect(await bob.branch(source, { name: 'a' })).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(await bob.assetNames('/assets')).toEqual([])
    await giveQuota(bob, 7)
    await bob.branched(source)
    expect((await bob.quota()).used_bytes).toBe(7)
    expect((await ada.quota()).used_bytes).toBe(5 + 7)
    await expectSound(bob.id)
  })

  it('refuses a taken name, and one asset more than a user may have', async () => {
    const { ada, source } = await scene()
    const bob = await signUpCreator('bob', serviceWith({ MAX_ASSETS: '2' }))
    await bob.emptyAsset('a')
    expect(await bob.branch(source, { name: 'a' })).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect(await ada.branch(source, { name: 'source' })).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    await bob.branched(source, 'source')
    expect(await bob.branch(source, { name: 'b' })).toBeProblem(409, 'LIMIT_REACHED', '"limit":"assets"')
    await expectSound(bob.id)
  })

  it('is refused for one reason of several, the same wherever the homes are', async () => {
    const { source } = await scene()
    const limits = { MAX_ASSETS: '1', MAX_VERSIONS: '1', MAX_IDEMPOTENCY_KEYS: '0', DEFAULT_QUOTA_BYTES: '3' }
    const reasons: [keyof typeof limits, string][] = [
      ['MAX_ASSETS', '"limit":"assets"'],
      ['MAX_VERSIONS', '"limit":"all_versions"'],
      ['DEFAULT_QUOTA_BYTES', 'QUOTA_EXCEEDED'],
      ['MAX_IDEMPOTENCY_KEYS', '"limit":"idempotency_keys"'],
    ]
    for (const bob of [await signUpCreator('bob'), await signUpCreator('bob')]) {
      await bob.asset('taken', {}, 'abc')
      const left: Record<string, string> = { ...limits }
      const branch = async (name: string) =>
        (
          await bob.through(serviceWith(left)).request('POST', `/game/assets/${source.id}/branch`, {
            json: { name },
            headers: newKey(),
          })
        ).text
      expect(await branch('taken')).toContain('DUPLICATE_ASSET_NAME')
      for (const [limit, reason] of reasons) {
        expect(await branch('new')).toContain(reason)
        delete left[limit]
      }
      expect(await branch('new')).toContain('"version":1')
    }
  })

  it('makes one branch of a request that is repeated with its key, and shows it as it stands now', async () => {
    const { ada, bob, source } = await scene()
    const headers = newKey()
    const ask = () => bob.branch(source, { name: 'mine' }, headers)
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    const { asset, version } = made(records.Branch, answers[0] ?? (await ask()), 201)
    for (const { status, body } of answers) expect([status, body]).toEqual([201, { asset, version }])
    await bob.editAsset(asset, { name: 'other', visibility: 'public' })
    await bob.version(asset)
    await ada.deleteAsset(source, '?permanent=true')
    const now = {
      name: 'other',
      visibility: 'public',
      current_version: 2,
      published_at: expect.any(Number),
      updated_at: expect.any(Number),
    }
    expect((await ask()).body).toEqual({ asset: { ...asset, ...now }, version })
    for (const body of [{ name: 'mine', from_version: 1 }, { name: 'new' }])
      expect(await bob.branch(source, body, headers)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect(await bob.assetNames('/assets')).toEqual(['other'])
    await bob.deleteAsset(asset)
    expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
    await bob.deleteAsset(asset, '?permanent=true')
    expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('leaves the key of a refused request free', async () => {
    const { ada, bob, source } = await scene({})
    const headers = newKey()
    const ask = () => bob.branch(source, { name: 'a', from_version: 3 }, headers)
    expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.editAsset(source, { visibility: 'public' })
    expect(await ask()).toBeProblem(404, 'VERSION_NOT_FOUND')
    await ada.version(source)
    expect((await ask()).status).toBe(201)
  })

  it('keeps its content and its lineage when the source is deleted, for good, and cleared away', async () => {
    const { ada, bob, source } = await scene()
    const carol = await signUpCreator('carol')
    const first = made(records.Branch, await bob.branch(source, { name: 'first', from_version: 1 }), 201)
    const second = await bob.branched(source, 'second')
    await bob.editAsset(second.asset, { visibility: 'public' })
    const third = await carol.branched(second.asset, 'third')
    const unchanged = async () => {
      for (const { asset, version } of [first, second]) {
        expect(await bob.readVersion(asset, 1)).toEqual(version)
        expect(await bob.contentOf(asset, 1)).toBe(version.branched_from_version === 1 ? 'first' : 'second!')
      }
      expect(await carol.readVersion(third.asset, 1)).toEqual(third.version)
      expect(await carol.contentOf(third.asset, 1)).toBe('second!')
    }
    await ada.deleteAsset(source)
    await unchanged()
    await ada.deleteAsset(source, '?permanent=true')
    await unchanged()
    await runJobIn(2)
    await unchanged()
    await bob.deleteAsset(second.asset)
    await runJobIn(31)
    expect(await carol.contentOf(third.asset, 1)).toBe('second!')
    expect(await bob.contentOf(first.asset, 1)).toBe('first')
    for (const user of [ada, bob, carol]) await expectSound(user.id)
    await expectRecordsAndObjectsAgree()
  })

  it('holds its content in R2 until the last version that has it is gone', async () => {
    const { ada, bob, source } = await scene()
    const { asset } = await bob.branched(source)
    await bob.rollBack(asset, { from_version: 1 })
    const { body } = await bob.get(`/game/assets/${asset.id}/versions/2/url`)
    const served = async () => (await bob.fetchSigned((body as { url: string }).url)).status
    await ada.deleteAsset(source, '?permanent=true')
    await runJobIn(2)
    expect(await served()).toBe(200)
    await bob.deleteAsset(asset)
    await runJobIn(2)
    expect(await served()).toBe(200)
    await bob.deleteAsset(asset, '?permanent=true')
    await runJobIn(2)
    expect(await served()).toBe(404)
    expect([(await ada.quota()).used_bytes, (await bob.quota()).used_bytes]).toEqual([0, 0])
    await expectRecordsAndObjectsAgree()
  })
})

it('queues the marker of a purged branch, also before the job has looked for markers', async () => {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const source = await ada.asset('marked', { visibility: 'public' }, 'forest')
  for (const when of ['before the job has run', 'afterwards']) {
    const { asset } = await bob.branched(source, when)
    expect((await bob.deleteAsset(asset, '?permanent=true')).status).toBe(204)
    expect(await countOf(`garbage WHERE object_key LIKE 'refs/%/' || ?`, asset.id), when).toBe(1)
    await runEach(0)
  }
})
