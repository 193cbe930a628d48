import { describe, expect, it } from 'vitest'
import { deleteChannel, listChannels, setChannel } from '../../src/features/assets/channels.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import { editVersion } from '../../src/features/assets/edit-version.ts'
import { readAsset } from '../../src/features/assets/read.ts'
import { versionUrls } from '../../src/features/assets/urls.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { blockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, newVersion, version } from '../support/acts.ts'
import { catalogueFaults, shownIds } from '../support/catalogue.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runEach } from '../support/objects.ts'
import { rounds } from '../support/race.ts'

/** Ada and a public asset of hers with as many versions, each with content of its own; and Bob, who reads it. */
async function withVersions(count: number) {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  for (let made = 1; made < count; made++) await version(ada, id)
  const again = () => contextOf(ada.user_id)
  return { ada, id, again, live: (number: number) => setChannel(again(), id, 'live', { version: number }) }
}

/** The version that somebody gets, or why they get none. */
async function servedTo(reader: RequestContext, asset_id: string) {
  const [url] = await versionUrls(contextOf(reader.user_id), [{ asset_id }])
  return url && 'url' in url ? url.version : url?.code
}

interface Row {
  live_version: number | null
  current_version: number
  revision: number
  unseen_changes: number
}

async function rowOf(id: string): Promise<Row> {
  const row = await databaseOf(id)
    .prepare('SELECT live_version, current_version, revision, unseen_changes FROM game_assets WHERE id = ?')
    .bind(id)
    .first<Row>()
  if (!row) throw new Error('the asset is not there')
  return row
}

describe('a release', () => {
  it('against the deletion of its version: one of them is refused, and what is served is there', async () => {
    await rounds(async (round) => {
      const { ada, id, again, live } = await withVersions(3)
      const bob = contextOf(newUserId())
      const [released, deleted] = await round.race<unknown>([
        () => live(1),
        () => deleteVersion(again(), id, 1),
        () => runEach(round.seed % 2 === 1 ? 4 : 0),
      ])
      if (round.isBefore(released, deleted)) expect(deleted?.code).toBe('VERSION_IS_CURRENT')
      if (round.isBefore(deleted, released)) expect(released?.code).toBe('VERSION_NOT_FOUND')
      if (round.fork('it is released', released?.code === undefined)) {
        expect(deleted?.code).toBe('VERSION_IS_CURRENT')
        expect(await servedTo(bob, id)).toBe(1)
      } else {
        expect([released?.code, deleted?.code]).toEqual(['VERSION_NOT_FOUND', undefined])
        expect(await servedTo(bob, id)).toBe(3)
      }
      expect(await catalogueFaults()).toEqual([])
      await expectSound(ada.user_id)
    })
  })

  it('against a new version: others get the released one, and never the new one', async () => {
    await rounds(async (round) => {
      const { ada, id, again, live } = await withVersions(2)
      const bob = contextOf(newUserId())
      const { upload } = await newVersion(ada, id)
      await arrive(upload.id)
      const before = await rowOf(id)
      const [released, completed, read] = await round.race<unknown>([
        () => live(1),
        () => completeUpload(again(), upload.id),
        () => servedTo(bob, id),
      ])
      expect([released?.code, completed?.code]).toEqual([undefined, undefined])
      const isReleasedFirst = round.isBefore(released, completed)
      if (isReleasedFirst) expect([1, 2]).toContain(read?.answer)
      expect(await servedTo(bob, id)).toBe(1)
      const { revision, unseen_changes, ...row } = await rowOf(id)
      expect(row).toEqual({ live_version: 1, current_version: 3 })
      expect(revision).toBe(before.revision + 2)
      const isHidden = round.fork('others see nothing of the new version', unseen_changes === 1)
      if (isReleasedFirst) expect(isHidden).toBe(true)
      if (round.isBefore(completed, released)) expect(isHidden).toBe(false)
      expect(await catalogueFaults()).toEqual([])
    })
  })

  it('against another one: the later one counts, and each is one change', async () => {
    await rounds(async (round) => {
      const { id, live } = await withVersions(3)
      const bob = contextOf(newUserId())
      const before = await rowOf(id)
      const [one, two] = await round.race([() => live(1), () => live(2)])
      expect([one?.code, two?.code]).toEqual([undefined, undefined])
      const served = await servedTo(bob, id)
      expect([1, 2]).toContain(served)
      if (round.isBefore(one, two)) expect(served).toBe(2)
      if (round.isBefore(two, one)) expect(served).toBe(1)
      const { live_version, revision, unseen_changes } = await rowOf(id)
      expect({ live_version, revision, unseen_changes }).toEqual({
        live_version: served,
        revision: before.revision + 2,
        unseen_changes: before.unseen_changes,
      })
      expect(await catalogueFaults()).toEqual([])
    })
  })

  it('against a block: nobody but its owner gets anything, and it is released when the block is lifted', async () => {
    await rounds(async (round) => {
      const { ada, id, live } = await withVersions(2)
      const [bob, moderator] = [contextOf(newUserId()), contextOf(newUserId())]
      const [released, blocked, read] = await round.race<unknown>([
        () => live(1),
        () => blockAsset(moderator, id),
        () => servedTo(bob, id),
      ])
      expect([released?.code, blocked?.code]).toEqual([undefined, undefined])
      if (round.isBefore(blocked, read)) expect(read?.answer).toBe('ASSET_NOT_FOUND')
      if (round.isBefore(read, blocked)) expect([1, 2]).toContain(read?.answer)
      expect(await servedTo(bob, id)).toBe('ASSET_NOT_FOUND')
      expect(await servedTo(ada, id)).toBe(1)
      expect(await shownIds([id])).toEqual([])
      expect(await catalogueFaults()).toEqual([])
    })
  })
})

describe('a channel', () => {
  it('that is made by two requests has one key', async () => {
    await rounds(async (round) => {
      const { ada, id, again } = await withVersions(2)
      const sets = (number: number) => () => setChannel(again(), id, 'beta', { version: number })
      const outcomes = await round.race([sets(1), sets(2)])
      const [stored] = await listChannels(ada, id)
      expect(outcomes.map(({ answer }) => answer?.key)).toEqual([stored?.key, stored?.key])
      const [one, two] = outcomes
      if (round.isBefore(one, two)) expect(stored?.version).toBe(2)
      if (round.isBefore(two, one)) expect(stored?.version).toBe(1)
    })
  })

  it('that is deleted while somebody reads with its key is read as a whole, or not found', async () => {
    await rounds(async (round) => {
      const { ada, id, again, live } = await withVersions(3)
      const bob = contextOf(newUserId())
      await live(1)
      const { key } = await setChannel(ada, id, 'beta', { version: 2 })
      const channel_key = key ?? ''
      const [deleted, record, url] = await round.race<unknown>([
        () => deleteChannel(again(), id, 'beta'),
        async () => {
          const { asset, versions } = await readAsset(bob, id, channel_key)
          return [asset.current_version, ...versions.map((one) => one.version)]
        },
        async () => {
          const [found] = await versionUrls(contextOf(bob.user_id), [{ asset_id: id, channel_key }])
          return found && 'url' in found ? found.version : found?.code
        },
      ])
      expect(deleted?.code).toBeUndefined()
      if (round.isBefore(deleted, record)) expect(record?.code).toBe('CHANNEL_NOT_FOUND')
      if (round.isBefore(record, deleted)) expect(record?.code).toBeUndefined()
      if (record?.answer !== undefined) expect(record.answer).toEqual([2, 2, 1])
      else expect(record?.code).toBe('CHANNEL_NOT_FOUND')
      expect([2, 'CHANNEL_NOT_FOUND']).toContain(url?.answer)
      expect(await servedTo(bob, id)).toBe(1)
    })
  })
})

it('a change of a version against an upload: each is one change, and others see the one that is theirs', async () => {
  await rounds(async (round) => {
    const { ada, id, again, live } = await withVersions(1)
    await live(1)
    const { upload } = await newVersion(ada, id)
    await arrive(upload.id)
    const before = await rowOf(id)
    const [edited, completed] = await round.race<unknown>([
      () => editVersion(again(), id, 1, { min_build: 7 }),
      () => completeUpload(again(), upload.id),
    ])
    expect([edited?.code, completed?.code]).toEqual([undefined, undefined])
    round.isBefore(edited, completed)
    round.isBefore(completed, edited)
    const { revision, unseen_changes } = await rowOf(id)
    expect([revision - before.revision, unseen_changes - before.unseen_changes]).toEqual([2, 1])
    expect(await catalogueFaults()).toEqual([])
  })
})
