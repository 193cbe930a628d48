import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { countOf } from '../support/databases.ts'
import { newKey } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { records, Upload } from '../support/records.ts'

/** The SHA-256 of `hello` in base64. */
const HELLO = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='

const NOTES = 'A fifth tower.\n\n\t- and a moat — “deep” 🏰\r\n'

describe('the notes of a version', () => {
  it('come with an upload of a new asset, an upload of a version, and a rollback, as they were sent', async () => {
    const ada = await signUpCreator()
    const first = await ada.publish({ name: 'castle', asset_type: 'world', notes: NOTES })
    const asset_id = first.asset.id
    const second = await ada.publish({ asset_id, notes: 'second' })
    const rolledBack = await ada.rollBack(asset_id, { from_version: 1, notes: 'back again' })
    expect(first.version.notes).toBe(NOTES)
    expect(second.version.notes).toBe('second')
    expect(rolledBack.body).toMatchObject({ version: 3, notes: 'back again' })
    const page = made(records.VersionPage, await ada.get(`/game/assets/${asset_id}/versions`), 200)
    expect(page.versions.map(({ notes }) => notes)).toEqual(['back again', 'second', NOTES])
    const whole = made(records.GameAssetWithVersions, await ada.readAsset(asset_id), 200)
    expect(whole.versions).toEqual(page.versions)
    expect(await ada.readVersion(asset_id, 1)).toEqual(first.version)
    await expectSound(ada.id)
  })

  it('are null without any, or with an empty text, and a rollback does not take those of the old version', async () => {
    const ada = await signUpCreator()
    const { asset, version } = await ada.publish({ name: 'castle', asset_type: 'world', notes: 'first' })
    expect(version.notes).toBe('first')
    expect((await ada.version(asset)).notes).toBeNull()
    expect((await ada.publish({ asset_id: asset.id, notes: '' })).version.notes).toBeNull()
    expect((await ada.rollBack(asset, { from_version: 1 })).body).toMatchObject({ notes: null })
    expect((await ada.rollBack(asset, { from_version: 1, notes: '' })).body).toMatchObject({ notes: null })
  })

  it('are read by everybody who may read the asset, and are not those of a branch', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.asset('castle', { visibility: 'public', notes: 'for all' })
    expect(await bob.readVersion(asset, 1)).toMatchObject({ notes: 'for all' })
    for (const user of [ada, bob]) {
      const branch = await user.branched(asset)
      expect(branch.version.notes).toBeNull()
      expect(await user.readVersion(branch.asset, 1)).toMatchObject({ notes: null })
      const next = await user.rollBack(branch.asset, { from_version: 1, notes: 'of the branch' })
      expect(next.body).toMatchObject({ notes: 'of the branch' })
    }
  })

  it('have at most 2,000 code points, and no other control characters than tabs and the ends of lines', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset()
    const declared = { asset_id: asset.id, size_bytes: 3, mime_type: 'text/plain' }
    const longest = '🏰'.repeat(2_000)
    expect((await ada.rollBack(asset, { from_version: 1, notes: longest })).body).toMatchObject({
      notes: longest,
    })
    expect((await ada.startContent({ ...declared, notes: longest })).status).toBe(201)
    for (const notes of [
      `${longest}x`,
      'a\u0000b',
      'a\u001bb',
      'a\u202eb',
      'a\u2066b',
      '\ud800',
      null,
      7,
      ['x'],
    ]) {
      const error = [400, 'VALIDATION_FAILED', '/notes'] as const
      expect(await ada.rollBack(asset, { from_version: 1, notes })).toBeProblem(...error)
      expect(await ada.startContent({ ...declared, notes })).toBeProblem(...error)
      expect(await ada.startContent({ name: 'other', asset_type: 'world', notes })).toBeProblem(...error)
    }
    expect(await ada.versions(asset)).toEqual([2, 1])
  })

  it('belong to the request that an Idempotency-Key repeats', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset()
    const back = { from_version: 1, notes: 'one' }
    const key = newKey()
    expect((await ada.rollBack(asset, back, key)).status).toBe(201)
    expect((await ada.rollBack(asset, back, key)).body).toMatchObject({ version: 2, notes: 'one' })
    const other = await ada.rollBack(asset, { ...back, notes: 'two' }, key)
    expect(other).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    const start = newKey()
    expect((await ada.startContent({ asset_id: asset.id, notes: 'one' }, start)).status).toBe(201)
    const reused = await ada.startContent({ asset_id: asset.id, notes: 'two' }, start)
    expect(reused).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('stay in the upload no longer than it is open', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset()
    const upload = await ada.sent({ asset_id: asset.id, notes: 'kept' })
    const failing = made(Upload, await ada.startContent({ asset_id: asset.id, notes: 'kept' }), 201)
    const withNotes = () => countOf('uploads WHERE owner_id = ? AND notes IS NOT NULL', ada.id)
    expect(await withNotes()).toBe(2)
    expect(await ada.complete(failing)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    expect(await withNotes()).toBe(2)
    const answer = await ada.complete(upload)
    expect(answer.body).toMatchObject({ version: { notes: 'kept' } })
    expect((await ada.complete(upload)).body).toEqual(answer.body)
    expect(await withNotes()).toBe(1)
    await expectSound(ada.id)
  })
})

describe('the checksum of a version', () => {
  it('is the one that its upload declared, or null', async () => {
    const ada = await signUpCreator()
    const declared = { name: 'castle', asset_type: 'world', checksum_sha256: HELLO }
    const { asset, version } = await ada.publish(declared, 'hello')
    expect(version.checksum_sha256).toBe(HELLO)
    expect(await ada.readVersion(asset, 1)).toEqual(version)
    expect((await ada.version(asset, 'hello')).checksum_sha256).toBeNull()
  })

  it('follows the content into rollbacks, and into branches of every database', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const declared = { name: 'castle', asset_type: 'world', visibility: 'public', checksum_sha256: HELLO }
    const { asset } = await ada.publish(declared, 'hello')
    await ada.version(asset, 'without')
    expect((await ada.rollBack(asset, { from_version: 1 })).body).toMatchObject({ checksum_sha256: HELLO })
    expect((await ada.rollBack(asset, { from_version: 2 })).body).toMatchObject({ checksum_sha256: null })
    for (const user of [ada, bob]) {
      const of = async (from_version: number) => {
        const answer = await user.branch(asset, { name: `from ${from_version}`, from_version })
        return made(records.Branch, answer, 201)
      }
      expect((await of(2)).version.checksum_sha256).toBeNull()
      const branch = await of(3)
      expect(branch.version.checksum_sha256).toBe(HELLO)
      await user.editAsset(branch.asset, { visibility: 'public' })
      const further = await (user === ada ? bob : ada).branched(branch.asset, `a branch of ${user.id}`)
      expect(further.version.checksum_sha256).toBe(HELLO)
    }
  })
})
