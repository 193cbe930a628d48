import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { everywhere } from '../support/databases.ts'
import { unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { records } from '../support/records.ts'
import { seedVersions } from '../support/seed.ts'

const MAX = 2_147_483_647

/** Ada with a public asset whose versions are for builds 1–9, from 10 on, from 20 on, and for all up to 5. */
async function built() {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const ranges = [{ min_build: 1, max_build: 9 }, { min_build: 10 }, { min_build: 20 }, { max_build: 5 }]
  const declared = { name: 'castle', asset_type: 'world', visibility: 'public' }
  const { asset } = await ada.publish({ ...declared, ...ranges[0] })
  for (const range of ranges.slice(1)) await ada.publish({ asset_id: asset.id, ...range })
  return { ada, bob, asset }
}

/** The version of each build; null where none is for it. */
async function versionsOf(user: Creator, asset_id: string, builds: number[], channel_key?: string) {
  const items = builds.map((build) => ({ asset_id, build, ...(channel_key && { channel_key }) }))
  return (await user.assetUrls(items)).map((one) =>
    one.code === 'VERSION_NOT_FOUND' ? (one.version ?? null) : one.version,
  )
}

describe('the builds of a version', () => {
  it('come with an upload, and go along with rollbacks and branches', async () => {
    const { ada, bob, asset } = await built()
    const of = (record: { min_build: number | null; max_build: number | null }) => [
      record.min_build,
      record.max_build,
    ]
    const all = async () => {
      const { versions } = made(records.GameAssetWithVersions, await bob.readAsset(asset), 200)
      return versions.map(of)
    }
    expect(await all()).toEqual([
      [null, 5],
      [20, null],
      [10, null],
      [1, 9],
    ])
    expect(of(made(records.Version, await ada.rollBack(asset, { from_version: 1 }), 201))).toEqual([1, 9])
    for (const user of [ada, bob]) {
      const branch = await user.branch(asset, { name: 'branch', from_version: 2 })
      expect(of(made(records.Branch, branch, 201).version)).toEqual([10, null])
    }
    expect(of(await ada.version(asset))).toEqual([null, null])
    const withNulls = { asset_id: asset.id, min_build: null, max_build: null }
    expect(of((await ada.publish(withNulls)).version)).toEqual([null, null])
    await expectSound(ada.id, bob.id)
  })

  it('are from 0 to 2,147,483,647, the first not above the last', async () => {
    const { ada, asset } = await built()
    const target = { asset_id: asset.id }
    const refused = [
      { min_build: -1 },
      { max_build: MAX + 1 },
      { min_build: 1.5 },
      { min_build: '1' },
      { min_build: 5, max_build: 4 },
    ]
    for (const range of refused) {
      expect(await ada.startContent({ ...target, ...range })).toBeProblem(400, 'VALIDATION_FAILED')
      expect(await ada.editVersion(asset, 1, range)).toBeProblem(400, 'VALIDATION_FAILED')
    }
    const file = { upload_type: 'file', name: 'a', size_bytes: 1, mime_type: 'text/plain' }
    expect((await ada.startUpload({ ...file, min_build: 1 })).status).toBe(201)
    const { version } = await ada.publish({ ...target, min_build: 0, max_build: MAX })
    expect([version.min_build, version.max_build]).toEqual([0, MAX])
    expect((await ada.publish({ ...target, min_build: 4, max_build: 4 })).version.min_build).toBe(4)
  })

  it('are looked at down to the 100th newest version when a request asks for 100, and further when it asks for fewer', async () => {
    const { ada, bob, asset } = await built()
    const seed = async (count: number) => {
      await seedVersions(asset.id, count)
      await everywhere(
        'UPDATE asset_versions SET min_build = 50 WHERE asset_id = ? AND version > 4',
        asset.id,
      )
    }
    const builds = [5, 10, 20, 50]
    const many = [...builds, ...Array.from({ length: 96 }, () => 50)]
    const firstOf = async (user: Creator) => (await versionsOf(user, asset.id, many)).slice(0, 4)
    await seed(97)
    expect(await firstOf(bob)).toEqual([4, 2, 3, 101])
    await seed(1)
    expect(await firstOf(ada)).toEqual([4, null, 3, 102])
    expect(await versionsOf(ada, asset.id, builds)).toEqual([4, 2, 3, 102])
  })

  it('choose the highest version that a build can read, of those that the caller gets', async () => {
    const { ada, bob, asset } = await built()
    const builds = [0, 5, 6, 9, 10, 19, 20, MAX]
    for (const user of [ada, bob])
      expect(await versionsOf(user, asset.id, builds)).toEqual([4, 4, 1, 1, 2, 2, 3, 3])
    await ada.release(asset, 2)
    for (const user of [ada, bob])
      expect(await versionsOf(user, asset.id, builds)).toEqual([null, 1, 1, 1, 2, 2, 2, 2])
    const beta = (await ada.release(asset, 3, 'beta')).key ?? ''
    expect(await versionsOf(bob, asset.id, builds, beta)).toEqual([null, 1, 1, 1, 2, 2, 3, 3])
    const empty = await ada.emptyAsset('empty', { visibility: 'public' })
    expect(await versionsOf(bob, empty.id, [1])).toEqual([null])
    const both = { items: [{ asset_id: asset.id, version: 1, build: 5 }] }
    const answer = await bob.request('POST', '/game/urls', { json: both })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
    expect(answer.body).toMatchObject({ errors: [{ path: '/items/0/build' }] })
  })
})

describe('PATCH /v1/game/assets/{id}/versions/{version}', () => {
  it('changes what is sent, and leaves the rest', async () => {
    const { ada, bob, asset } = await built()
    const first = await ada.readVersion(asset, 1)
    const edited = async (json: object) => made(records.Version, await ada.editVersion(asset, 1, json), 200)
    expect(await edited({ notes: 'new' })).toEqual({ ...first, notes: 'new' })
    expect(await edited({ min_build: 3 })).toEqual({ ...first, notes: 'new', min_build: 3 })
    expect(await edited({ notes: '', max_build: null })).toEqual({ ...first, min_build: 3, max_build: null })
    expect(await edited({ notes: 'again' })).toMatchObject({ notes: 'again' })
    expect(await edited({ notes: null, min_build: 1, max_build: 9 })).toEqual(first)
    expect(await bob.readVersion(asset, 1)).toEqual(first)
    const before = await ada.tagOf(asset)
    await edited({ notes: null })
    expect(await ada.tagOf(asset)).not.toBe(before)
    await expectSound(ada.id)
  })

  it('compares a bound with the stored one', async () => {
    const { ada, asset } = await built()
    for (const range of [{ min_build: 10 }, { max_build: 0 }, { min_build: 10, notes: 'new' }])
      expect(await ada.editVersion(asset, 1, range)).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await ada.readVersion(asset, 1)).toMatchObject({ min_build: 1, max_build: 9, notes: null })
    expect((await ada.editVersion(asset, 1, { min_build: 10, max_build: 11 })).status).toBe(200)
  })

  it('is for the owner, of a version that is there, and takes If-Match on the asset', async () => {
    const { ada, bob, asset } = await built()
    const change = { notes: 'new' }
    const before = await ada.tagOf(asset)
    expect(await bob.editVersion(asset, 1, change)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.editVersion(unknownId, 1, change)).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const version of [5, 0, 'x'])
      expect(await ada.editVersion(asset, version, change)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await ada.editVersion(asset, 1, {})).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await ada.editVersion(asset, 1, { notes: 'x'.repeat(2_001) })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
    expect(await ada.tagOf(asset), 'what is refused changes nothing').toBe(before)
    const old = { 'If-Match': before }
    expect((await ada.editVersion(asset, 1, change, old)).status).toBe(200)
    expect(await ada.editVersion(asset, 1, change, old)).toBeProblem(412, 'PRECONDITION_FAILED')
    await ada.deleteAsset(asset)
    expect(await ada.editVersion(asset, 1, change)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})
