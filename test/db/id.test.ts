import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { newId, partitionNumber } from '../../src/platform/db/id.ts'
import { signUpCreator } from '../support/creator.ts'
import { publishTo } from '../support/device.ts'
import { newUserId } from '../support/ids.ts'

/** The partition of an id, as SQL reads it. */
const partitionIn = (id: string) =>
  env.DB.prepare('SELECT substr(?, 21, 3) AS partition').bind(id).first<string>('partition')

const hex = (partition: number) => partition.toString(16).padStart(3, '0')

describe('an id', () => {
  it('is a UUIDv7 that tells its time, its layout and its owner’s partition', async () => {
    const owner = newUserId()
    const before = Date.now()
    const ids = Array.from({ length: 1_000 }, () => newId(owner))
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/)
      // After the variant, 10, comes the layout, 01.
      expect(Number.parseInt(id.slice(19, 20), 16)).toBe(0b10_01)
      expect(id.slice(20, 23)).toBe(hex(partitionNumber(owner)))
      const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
      expect(time).toBeGreaterThanOrEqual(before)
      expect(time).toBeLessThanOrEqual(Date.now())
    }
    expect(new Set(ids).size).toBe(1_000)
    expect(await partitionIn(newId(owner))).toBe(hex(partitionNumber(owner)))
  })

  it('is random in every bit that says nothing', () => {
    const ids = Array.from({ length: 1_000 }, () => newId('ada'))
    const bits = ids.map((id) => BigInt(`0x${id.replaceAll('-', '')}`))
    const [ones, all] = [bits.reduce((sum, id) => sum | id, 0n), bits.reduce((sum, id) => sum & id, ~0n)]
    const random = 0x0fff_0000_ffff_ffff_ffffn
    expect((ones & ~all & random).toString(16)).toBe(random.toString(16))
  })
})

describe('the partition of a user', () => {
  // Ids carry it, so these never change.
  it.each([
    ['', 3083],
    ['a', 435],
    ['ada', 3598],
    ['bob', 2134],
    ['user-1', 2796],
    ['user-2', 209],
    ['Zoë', 299],
    ['👾', 431],
    ['auth0|5f7c8ec7c33c6c004bbafe82', 887],
    ['x'.repeat(128), 2012],
  ])('%j is %i', (user_id, partition) => {
    expect(partitionNumber(user_id)).toBe(partition)
  })

  it('is any of 4,096, each as likely as any other', () => {
    const counts = new Map<number, number>()
    for (let i = 0; i < 409_600; i++) {
      const partition = partitionNumber(`user-${i}`)
      counts.set(partition, (counts.get(partition) ?? 0) + 1)
    }
    expect(counts.size).toBe(4_096)
    expect(Math.max(...counts.keys())).toBe(4_095)
    // A hundred on average: six standard deviations.
    expect(Math.min(...counts.values())).toBeGreaterThan(40)
    expect(Math.max(...counts.values())).toBeLessThan(160)
  })
})

describe('the partition of an id is its owner’s:', () => {
  /** A user, and another in a different partition. */
  async function two() {
    const ada = await signUpCreator('ada')
    for (;;) {
      const bob = await signUpCreator('bob')
      if (partitionNumber(bob.id) !== partitionNumber(ada.id)) return { ada, bob }
    }
  }
  const expectOf = async (owner: { id: string }, ...ids: string[]) => {
    for (const id of ids) expect(await partitionIn(id)).toBe(hex(partitionNumber(owner.id)))
  }

  it('of a folder, a file and its upload', async () => {
    const { ada } = await two()
    const folder = await ada.folder()
    const upload = await ada.upload({ asset_type: 'file', size_bytes: 3, parent_id: folder.id })
    await expectOf(ada, folder.id, upload.id, (await ada.file('file', 'abc')).id)
  })

  it('of a share, which is the owner’s of the file', async () => {
    const { ada, bob } = await two()
    await expectOf(ada, (await ada.share(await ada.file('file', 'abc'), bob)).id)
  })

  it('of an asset, made without content or by an upload, and of its versions', async () => {
    const { ada } = await two()
    const { asset, version, upload } = await ada.publish({ name: 'uploaded', asset_type: 'world' })
    const second = await ada.version(asset)
    await expectOf(ada, (await ada.emptyAsset()).id, upload.id, asset.id, version.id, second.id)
    expect((await ada.rollBack(asset, { from_version: 1 })).status).toBe(201)
    await expectOf(ada, (await ada.readVersion(asset, 3)).id)
  })

  it('of a branch and its version, which are those of whoever branches', async () => {
    const { ada, bob } = await two()
    const branch = await bob.branched(await ada.asset('source', { visibility: 'public' }))
    await expectOf(bob, branch.asset.id, (await bob.readVersion(branch.asset, 1)).id)
  })

  it('of a notification, which is the recipient’s', async () => {
    const { ada } = await two()
    await expectOf(ada, (await publishTo(ada)).id)
  })
})
