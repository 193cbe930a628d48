import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import type { Act } from './model/act.ts'
import { deletesVersion, readsAsset, rollsBack } from './model/asset-versions.ts'
import { createsContent, replacesContent } from './model/at-once.ts'
import { branches } from './model/branching.ts'
import { deletesChannel, setsChannel } from './model/channels.ts'
import { givesVerdict } from './model/checking.ts'
import { abortsUpload, completesUpload } from './model/completing.ts'
import { CHECKED_TYPE } from './model/content.ts'
import { used } from './model/counting.ts'
import type { Declared } from './model/declaring.ts'
import { addsFavorite, removesFavorite } from './model/favorites.ts'
import { changesFile, createsFolder, deletesFile, readsFile } from './model/files.ts'
import { changesAsset, createsAsset, deletesAsset, restoresAsset } from './model/game-assets.ts'
import { answersAppeal, appeals, decides, lifts, opensCase, reports } from './model/moderation.ts'
import { setsQuota } from './model/quota.ts'
import { deletesVariant, editsVersion } from './model/releases.ts'
import type { Scene } from './model/scene.ts'
import { runsJob } from './model/time.ts'
import { emptiesTrash, purgesFile, restoresFile } from './model/trash.ts'
import { startsUpload } from './model/uploads.ts'
import { endsMeetings, meet, pair } from './pairs/meet.ts'

/** What comes of acts of which one has another outcome than the others: the first or the last. */
function oneOf(count: number, one: string, other: string): string[] {
  return [0, count - 1].map((at) => Array<string>(count).fill(other).with(at, one).join(' '))
}

/** What the breakdown of the quota lists. */
const LARGE = 1_048_576
const content = { size_bytes: 10, mime_type: 'text/plain' }
const newFile = { upload_type: 'file' as const, name: 'a', asset_type: 'file', parent_id: null, ...content }
const ofAsset = (asset_id: string): Declared => ({ upload_type: 'game_asset', asset_id, ...content })
const newAsset = { upload_type: 'game_asset' as const, name: 'castle', asset_type: 'world', ...content }
const text = (size: number) => ({ content: 'x'.repeat(size), mime_type: 'text/plain' })
const castle = (ann: string) =>
  createsAsset(ann, { name: 'castle', type: 'world', visibility: 'private' }, undefined)

const moves = (ann: string, id: string, parent_id: string) => changesFile(ann, id, { parent_id })

/** A folder with a folder in it. */
async function chain(scene: Scene, ann: string) {
  const outer = await scene.folder(ann, 'outer', null)
  return { outer, inner: await scene.folder(ann, 'inner', outer) }
}

/** A folder in the trash with a folder in it. */
async function trashed(scene: Scene, ann: string) {
  const { outer, inner } = await chain(scene, ann)
  await scene.does(deletesFile(ann, outer))
  return { outer, inner }
}

/** An asset with as many versions, and its ETag. */
async function withVersions(scene: Scene, ann: string, count: number, visibility = 'private') {
  const id = await scene.asset(ann, 'asset', visibility)
  for (let made = 1; made < count; made++)
    await scene.does(completesUpload(ann, await scene.sent(ann, ofAsset(id))))
  await scene.does(readsAsset(ann, id))
  return { id, etag: scene.etag(id) }
}

/** A file with its ETag, and how content arrives that is to replace its own. */
async function toReplace(scene: Scene, ann: string) {
  const file_id = await scene.text(ann)
  await scene.does(readsFile(ann, file_id))
  const sent = () => scene.sent(ann, { upload_type: 'file', file_id, ...content })
  return { file_id, etag: scene.etag(file_id), sent }
}

/** What needs a folder, and the deletion of the folder above. */
const entering = (done: string, enters: (scene: Scene, ann: string, into: string) => Promise<Act>) =>
  meet([`${done} 204`, 'FILE_PARENT_NOT_FOUND 204'], async (scene, ann) => {
    const { outer, inner } = await chain(scene, ann)
    return [await enters(scene, ann, inner), deletesFile(ann, outer)]
  })

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await pair()
})
afterAll(async () => {
  await endsMeetings()
  vi.useRealTimers()
})

describe('what is done at once to folders', () => {
  // Flat, so that the limit of the depth does not refuse it first.
  it('never closes a cycle when two folders move into each other', () =>
    meet(oneOf(2, '200', 'FILE_CYCLIC_MOVE'), async (scene, ann) => {
      const [a, b] = [await scene.folder(ann, 'a', null), await scene.folder(ann, 'b', null)]
      return [moves(ann, a, b), moves(ann, b, a)]
    }))
  it('never closes a cycle when three folders move in a ring', () =>
    meet(['200 200 FILE_CYCLIC_MOVE', 'FILE_CYCLIC_MOVE 200 200'], async (scene, ann) => {
      const [a, b, c] = [
        await scene.folder(ann, 'a', null),
        await scene.folder(ann, 'b', null),
        await scene.folder(ann, 'c', null),
      ]
      return [moves(ann, a, b), moves(ann, b, c), moves(ann, c, a)]
    }))
  it('never moves an item into a folder that has just been deleted, as if it had not been', () =>
    entering('200', async (scene, ann, into) => moves(ann, await scene.folder(ann, 'c', null), into)))
  it('never creates a folder in one that has just been deleted, as if it had not been', () =>
    entering('201', async (_, ann, into) => createsFolder(ann, 'c', into)))
  it('never starts an upload in a folder that has just been deleted, as if it had not been', () =>
    entering('201', async (_, ann, parent_id) => startsUpload(ann, { ...newFile, parent_id })))
  it('deletes an item once, however many try', () =>
    meet(oneOf(3, '204', 'FILE_NOT_FOUND'), async (scene, ann) => {
      const id = await scene.folder(ann, 'a', null)
      return [1, 2, 3].map(() => deletesFile(ann, id))
    }))
  it('lets one of several changes through that expect the same revision', () =>
    meet(oneOf(3, '200', 'PRECONDITION_FAILED'), async (scene, ann) => {
      const id = await scene.folder(ann, 'a', null)
      await scene.does(readsFile(ann, id))
      const etag = scene.etag(id)
      return [{ name: 'one' }, { name: 'two' }, { is_public: true }].map((json) =>
        changesFile(ann, id, json, etag),
      )
    }))
  it('never passes the depth limit by moves that each would fit', () =>
    meet(oneOf(2, '200', 'LIMIT_REACHED'), async (scene, ann) => {
      const [a, b, c] = [await chain(scene, ann), await chain(scene, ann), await chain(scene, ann)]
      return [moves(ann, b.outer, a.inner), moves(ann, c.outer, b.inner)]
    }))
  it('never passes the depth limit by a creation and a move that each would fit', () =>
    meet(['200 LIMIT_REACHED', 'LIMIT_REACHED 201'], async (scene, ann) => {
      const [a, b] = [await chain(scene, ann), await chain(scene, ann)]
      return [moves(ann, b.outer, a.inner), createsFolder(ann, 'c', b.inner)]
    }))
  it('never passes the item limit by creations that each would fit', () =>
    meet(oneOf(3, '201', 'LIMIT_REACHED'), async (scene, ann) => {
      while (used(scene.world, ann).items < scene.world.limits.MAX_ITEMS - 1)
        await scene.folder(ann, 'a', null)
      return [
        createsFolder(ann, 'b', null),
        startsUpload(ann, newFile),
        createsContent(ann, 'c', null, text(1)),
      ]
    }))
})

describe('what is done at once to the trash', () => {
  it('either restores or purges', () =>
    meet(['200 FILE_NOT_TRASHED', 'FILE_NOT_FOUND 204'], async (scene, ann) => {
      const { outer } = await trashed(scene, ann)
      return [restoresFile(ann, outer), purgesFile(ann, outer)]
    }))
  it('loses nothing when an item is restored while its folder is deleted', () =>
    meet(['200 204'], async (scene, ann) => {
      const { outer, inner } = await chain(scene, ann)
      await scene.does(deletesFile(ann, inner))
      return [restoresFile(ann, inner), deletesFile(ann, outer)]
    }))
  it('has every item in one place when a folder and something in it are restored at once', () =>
    meet(['200 200', '200 FILE_NOT_TRASHED'], async (scene, ann) => {
      const { outer, inner } = await trashed(scene, ann)
      return [restoresFile(ann, outer), restoresFile(ann, inner)]
    }))
  it('either empties the trash of an item or restores it', () =>
    meet(['204 200', '204 FILE_NOT_FOUND'], async (scene, ann) => {
      const { outer } = await trashed(scene, ann)
      await trashed(scene, ann)
      return [emptiesTrash(ann), restoresFile(ann, outer)]
    }))
  it('keeps apart what was deleted before and what goes with the folder', () =>
    meet(['204 204 204'], async (scene, ann) => {
      const { outer, inner } = await chain(scene, ann)
      await scene.folder(ann, 'kept', outer)
      await scene.does(deletesFile(ann, inner))
      return [deletesFile(ann, outer), purgesFile(ann, inner), runsJob()]
    }))
  it('lets nothing into a folder that is being purged, and leaves nothing of what got in before', () =>
    meet(
      ['204 FILE_PARENT_NOT_FOUND FILE_PARENT_NOT_FOUND FILE_NOT_FOUND', '204 201 200 200'],
      async (scene, ann) => {
        const mover = await scene.folder(ann, 'mover', null)
        const { outer, inner } = await trashed(scene, ann)
        return [
          purgesFile(ann, outer),
          createsFolder(ann, 'new', inner),
          moves(ann, mover, inner),
          restoresFile(ann, inner),
        ]
      },
    ))
})

/** Starts an upload of each kind, which then is completed. */
const kinds: [string, (scene: Scene, ann: string) => Promise<Declared>][] = [
  ['a file', async () => newFile],
  [
    'new content of a file',
    async (scene, ann) => ({ upload_type: 'file', file_id: await scene.text(ann), ...content }),
  ],
  ['a new asset', async () => ({ ...newAsset, visibility: 'private' })],
  ['a new version', async (scene, ann) => ofAsset((await withVersions(scene, ann, 1)).id)],
  ['a file in parts', async () => ({ ...newFile, size_bytes: 60 })],
]

describe('what is done at once to uploads', () => {
  for (const [kind, declared] of kinds) {
    it(`gives two completions of ${kind} one answer`, () =>
      meet(['200 200'], async (scene, ann) => {
        const id = await scene.sent(ann, await declared(scene, ann))
        return [1, 2].map(() => completesUpload(ann, id, scene.partsOf(id)))
      }))
    it(`either completes or aborts an upload of ${kind}`, () =>
      meet(['200 UPLOAD_COMPLETED', 'UPLOAD_NOT_FOUND 204'], async (scene, ann) => {
        const id = await scene.sent(ann, await declared(scene, ann))
        return [completesUpload(ann, id, scene.partsOf(id)), abortsUpload(ann, id)]
      }))
  }
  // A check begins when the parts have been joined, so parts make no difference to a verdict.
  for (const [kind, declared] of kinds.slice(0, 4)) {
    const arrived = async (scene: Scene, ann: string) =>
      scene.sent(ann, { ...(await declared(scene, ann)), mime_type: CHECKED_TYPE })
    const waiting = async (scene: Scene, ann: string) => {
      const id = await arrived(scene, ann)
      await scene.does(completesUpload(ann, id))
      return id
    }
    it(`takes a verdict on ${kind} once it has been completed: nothing is ready without it`, () =>
      meet(['202 202 204', '202 202 UPLOAD_NOT_FOUND'], async (scene, ann) => {
        const id = await arrived(scene, ann)
        const completes = () => completesUpload(ann, id)
        return [completes(), completes(), givesVerdict(scene.world.operator, id, 'ready')]
      }))
    it(`takes the first of two verdicts on ${kind} that differ`, () =>
      meet(oneOf(2, '204', 'UPLOAD_COMPLETED'), async (scene, ann) => {
        const id = await waiting(scene, ann)
        return (['ready', 'failed'] as const).map((one) => givesVerdict(scene.world.operator, id, one))
      }))
    it(`takes a verdict on ${kind}, or its upload is aborted`, () =>
      meet(['204 UPLOAD_COMPLETED', 'UPLOAD_NOT_FOUND 204'], async (scene, ann) => {
        const id = await waiting(scene, ann)
        return [givesVerdict(scene.world.operator, id, 'ready'), abortsUpload(ann, id)]
      }))
    it(`fails ${kind} by a verdict, or its upload is aborted`, () =>
      meet(['204 204', 'UPLOAD_NOT_FOUND 204'], async (scene, ann) => {
        const id = await waiting(scene, ann)
        return [givesVerdict(scene.world.operator, id, 'failed'), abortsUpload(ann, id)]
      }))
  }
  it('takes new content from one of several uploads that replace the same revision', () =>
    meet(oneOf(3, '200', 'PRECONDITION_FAILED'), async (scene, ann) => {
      const { etag, sent } = await toReplace(scene, ann)
      const ids = [await sent(), await sent(), await sent()]
      return ids.map((id) => completesUpload(ann, id, {}, etag))
    }))
  it('never takes new content in place of a revision that was not expected', () =>
    meet(oneOf(2, '200', 'PRECONDITION_FAILED'), async (scene, ann) => {
      const { file_id, etag, sent } = await toReplace(scene, ann)
      const id = await sent()
      return [completesUpload(ann, id, {}, etag), changesFile(ann, file_id, { name: 'renamed' }, etag)]
    }))
  it('has the content that replaced last, by uploads and by a request, and gives the others up', () =>
    meet(['200 200 200'], async (scene, ann) => {
      const { file_id, sent } = await toReplace(scene, ann)
      const uploads = [await sent(), await sent()]
      return [replacesContent(ann, file_id, text(7)), ...uploads.map((id) => completesUpload(ann, id))]
    }))
  it('never passes a nearly full quota by replacing: the bytes that each frees are taken once', () =>
    meet(oneOf(3, '200', 'QUOTA_EXCEEDED'), async (scene, ann) => {
      const files = [await scene.text(ann), await scene.text(ann), await scene.text(ann)]
      await scene.does(setsQuota(scene.world.operator, ann, used(scene.world, ann).bytes + 10))
      return files.map((id) => replacesContent(ann, id, text(15)))
    }))
})

const taken = 'DUPLICATE_ASSET_NAME'

describe('what is done at once to assets and their versions', () => {
  it('gives a name to one of several that create with it at once', () =>
    meet(oneOf(3, '201', taken), async (_, ann) => [castle(ann), castle(ann), castle(ann)]))
  it('gives a name to one of a rename and a creation', () =>
    meet([`200 ${taken}`, `${taken} 201`], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1)
      return [changesAsset(ann, id, { name: 'castle' }), castle(ann)]
    }))
  it('gives no version to an asset that has just been deleted, as if it had not been', () =>
    meet(['200 204', 'ASSET_NOT_FOUND 204'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1)
      const upload = await scene.sent(ann, ofAsset(id))
      return [completesUpload(ann, upload), deletesAsset(ann, id, false)]
    }))
  it('gives a name to one of a restore and a creation', () =>
    meet([`200 ${taken}`, `${taken} 201`], async (scene, ann) => {
      const id = await scene.asset(ann, 'castle', 'private')
      await scene.does(deletesAsset(ann, id, false))
      return [restoresAsset(ann, id), castle(ann)]
    }))
  it('lets one of an edit, a deletion and two versions through that expect the same', () =>
    meet(
      [
        '200 PRECONDITION_FAILED PRECONDITION_FAILED PRECONDITION_FAILED',
        'ASSET_NOT_FOUND ASSET_NOT_FOUND ASSET_NOT_FOUND 204',
      ],
      async (scene, ann) => {
        const { id, etag } = await withVersions(scene, ann, 1)
        const [one, other] = [await scene.sent(ann, ofAsset(id)), await scene.sent(ann, ofAsset(id))]
        return [
          completesUpload(ann, one, {}, etag),
          changesAsset(ann, id, { description: 'edited' }, etag),
          completesUpload(ann, other, {}, etag),
          deletesAsset(ann, id, false, etag),
        ]
      },
    ))
  it('lets one of several edits of an asset through that expect the same', () =>
    meet(oneOf(3, '200', 'PRECONDITION_FAILED'), async (scene, ann) => {
      const { id, etag } = await withVersions(scene, ann, 1)
      return ['a', 'b', 'c'].map((description) => changesAsset(ann, id, { description }, etag))
    }))
  it('has no gap in the numbers of versions when uploads, rollbacks and branches come at once', () =>
    meet(['200 200 201 201'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1)
      const uploads = [await scene.sent(ann, ofAsset(id)), await scene.sent(ann, ofAsset(id))]
      return [
        ...uploads.map((upload) => completesUpload(ann, upload)),
        rollsBack(ann, id, 1),
        branches(ann, id, { name: 'branch' }),
      ]
    }))
  it('never passes the limit of versions by uploads and rollbacks that each would fit', () =>
    meet(['200 LIMIT_REACHED LIMIT_REACHED', 'LIMIT_REACHED LIMIT_REACHED 201'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 3)
      const upload = await scene.sent(ann, ofAsset(id))
      return [completesUpload(ann, upload), rollsBack(ann, id, 1), rollsBack(ann, id, 1)]
    }))
  it('is public with the time of its first publication, and private without, whatever edits do at once', () =>
    meet(['200 200 200'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1, 'public')
      return ['public', 'private', 'public'].map((visibility) => changesAsset(ann, id, { visibility }))
    }))
  it('has a revision for each of many changes', () =>
    meet(['200 200 201 200'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1)
      const upload = await scene.sent(ann, ofAsset(id))
      return [
        changesAsset(ann, id, { description: 'a' }),
        changesAsset(ann, id, { tags: ['b'] }),
        rollsBack(ann, id, 1),
        completesUpload(ann, upload),
      ]
    }))
  it('deletes a version once, and is one revision', () =>
    meet(oneOf(3, '204', 'VERSION_NOT_FOUND'), async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 2)
      return [1, 2, 3].map(() => deletesVersion(ann, id, 1))
    }))
  it('deletes one of several versions whose deletions expect the same', () =>
    meet(oneOf(2, '204', 'PRECONDITION_FAILED'), async (scene, ann) => {
      const { id, etag } = await withVersions(scene, ann, 3)
      return [1, 2].map((number) => deletesVersion(ann, id, number, etag))
    }))
  it('keeps the version that is current at that moment, and its numbers go on, when others come and it is deleted', () =>
    meet(['200 201 204', '200 201 VERSION_IS_CURRENT'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 2)
      const upload = await scene.sent(ann, ofAsset(id))
      return [completesUpload(ann, upload), rollsBack(ann, id, 1), deletesVersion(ann, id, 2)]
    }))
  it('lets one new version in for one that is deleted at the limit', () =>
    meet(['204 201 LIMIT_REACHED', '204 LIMIT_REACHED LIMIT_REACHED'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 4)
      return [deletesVersion(ann, id, 1), rollsBack(ann, id, 4), rollsBack(ann, id, 4)]
    }))
  it('lists a large content under the newest version that has it, whatever comes and goes at once', () =>
    meet(['201 204 VERSION_NOT_FOUND', 'VERSION_NOT_FOUND VERSION_NOT_FOUND 204'], async (scene, ann) => {
      await scene.does(setsQuota(scene.world.operator, ann, 5_000_000))
      const id = await scene.asset(ann, 'asset', 'private')
      for (let made = 1; made < 3; made++) {
        const upload = await scene.sent(ann, { ...ofAsset(id), size_bytes: LARGE })
        await scene.does(completesUpload(ann, upload, scene.partsOf(upload)))
      }
      return [rollsBack(ann, id, 2), deletesVersion(ann, id, 2), deletesVersion(ann, id, 2)]
    }))
  it('branches no asset that has just been deleted, as if it had not been', () =>
    meet(['204 201', '204 ASSET_NOT_FOUND'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1)
      return [deletesAsset(ann, id, false), branches(ann, id, { name: 'branch' })]
    }))
  it('branches what a deletion of its version leaves', () =>
    meet(['204 201', '204 VERSION_NOT_FOUND'], async (scene, ann, bob) => {
      const { id } = await withVersions(scene, ann, 2, 'public')
      return [deletesVersion(ann, id, 1), branches(bob, id, { name: 'branch', from_version: 1 })]
    }))
})

describe('what is done at once to favorites', () => {
  it('has a favorite once, or has it not, when it is added twice and taken back at once', () =>
    meet(['204 204 204'], async (scene, ann, bob) => {
      const { id } = await withVersions(scene, ann, 1, 'public')
      await scene.does(addsFavorite(bob, id))
      return [addsFavorite(bob, id), addsFavorite(bob, id), removesFavorite(bob, id)]
    }))
  it('lets no more than MAX_FAVORITES in', () =>
    meet(oneOf(2, '204', 'LIMIT_REACHED'), async (scene, ann) => {
      const ids = []
      for (const name of ['a', 'b', 'c', 'd']) ids.push(await scene.emptyAsset(ann, name))
      for (const id of ids.slice(0, 2)) await scene.does(addsFavorite(ann, id))
      return ids.slice(2).map((id) => addsFavorite(ann, id))
    }))
  it.each([false, true])(
    'shows none that is deleted, and a deleted asset has no new ones: for good %s',
    (permanent) =>
      meet(['204 204', 'ASSET_NOT_FOUND 204'], async (scene, ann, bob) => {
        const { id } = await withVersions(scene, ann, 1, 'public')
        return [addsFavorite(bob, id), deletesAsset(ann, id, permanent)]
      }),
  )
})

/** An asset with one version, and its case, which has been decided if an action is given. Returns the id of the decision, too. */
async function withCase(scene: Scene, ann: string, action?: 'none' | 'rate' | 'unlist' | 'block') {
  const { world } = scene
  const { id } = await withVersions(scene, ann, 1, 'public')
  const target = { type: 'asset' as const, id }
  await scene.does(opensCase(world.operator, target))
  if (action)
    await scene.does(
      decides(world.operator, target, { action, ...(action === 'rate' && { rating: 'teen' }) }),
    )
  const decision_id = world.cases.get(`asset ${id}`)?.in_force ?? ''
  return { id, target, decision_id, moderator: world.operator, other: `${world.operator}-2` }
}

const complaint = { category: 'hate', is_illegal: false, text: null }

describe('what moderators and players do at once', () => {
  it('makes one of two decisions', () =>
    meet(oneOf(2, '201', 'CASE_DECIDED'), async (scene, ann) => {
      const { target, moderator, other } = await withCase(scene, ann)
      return [decides(moderator, target, { action: 'unlist' }), decides(other, target, { action: 'block' })]
    }))
  it('decides about what is deleted at once', () =>
    meet(['201 204'], async (scene, ann) => {
      const { id, target, moderator } = await withCase(scene, ann)
      return [decides(moderator, target, { action: 'block' }), deletesAsset(ann, id, true)]
    }))
  it('ends a report by a decision, or leaves it open', () =>
    meet(['201 201'], async (scene, ann, bob) => {
      const { target, moderator } = await withCase(scene, ann)
      return [reports(bob, target, complaint), decides(moderator, target, { action: 'warn' })]
    }))
  it('lifts what is appealed against, or closes the way to an appeal', () =>
    meet(['201 204', 'APPEAL_CLOSED 204'], async (scene, ann) => {
      const { decision_id, other } = await withCase(scene, ann, 'unlist')
      return [appeals(ann, decision_id, 'Look again.'), lifts(other, decision_id)]
    }))
  it('answers an appeal once', () =>
    meet(oneOf(2, '200', 'APPEAL_CLOSED'), async (scene, ann) => {
      const { decision_id, target, other } = await withCase(scene, ann, 'block')
      await scene.does(appeals(ann, decision_id, 'Look again.'))
      return [answersAppeal(other, target, 'upheld'), answersAppeal(`${other}-2`, target, 'reversed')]
    }))
  it('takes no lower rating from then on, and a branch has what its source has', () =>
    meet(['201 200 201', '201 RATING_LOCKED 201'], async (scene, ann) => {
      const { id, target, moderator } = await withCase(scene, ann)
      return [
        decides(moderator, target, { action: 'rate', rating: 'mature' }),
        changesAsset(ann, id, { rating: 'teen' }),
        branches(ann, id, { name: 'branch' }),
      ]
    }))
})

describe('what is done at once to releases', () => {
  const ofPlatform = (asset_id: string): Declared => ({ ...ofAsset(asset_id), version: 1, platform: 'pc' })
  it('either releases a version or deletes it', () =>
    meet(['VERSION_NOT_FOUND 204', '200 VERSION_IS_CURRENT'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 2)
      return [setsChannel(ann, id, 'live', 1), deletesVersion(ann, id, 1)]
    }))
  it('has one content of a version for a platform', () =>
    meet(oneOf(2, '200', 'DUPLICATE_PLATFORM'), async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 1)
      const sent = [await scene.sent(ann, ofPlatform(id)), await scene.sent(ann, ofPlatform(id))]
      return sent.map((upload) => completesUpload(ann, upload))
    }))
  it('has no variant of a version that is gone', () =>
    meet(['200 204', 'VERSION_NOT_FOUND 204'], async (scene, ann) => {
      const { id } = await withVersions(scene, ann, 2)
      return [completesUpload(ann, await scene.sent(ann, ofPlatform(id))), deletesVersion(ann, id, 1)]
    }))
  it('deletes a channel or a variant once', () =>
    meet(
      ['204 CHANNEL_NOT_FOUND 204 VARIANT_NOT_FOUND', 'CHANNEL_NOT_FOUND 204 VARIANT_NOT_FOUND 204'],
      async (scene, ann) => {
        const { id } = await withVersions(scene, ann, 1)
        await scene.does(completesUpload(ann, await scene.sent(ann, ofPlatform(id))))
        await scene.does(setsChannel(ann, id, 'live', 1))
        return [
          ...[1, 2].map(() => deletesChannel(ann, id, 'live')),
          ...[1, 2].map(() => deletesVariant(ann, id, 1, 'pc')),
        ]
      },
    ))
  it('lets one of several changes through that expect the same revision', () =>
    meet(oneOf(3, '200', 'PRECONDITION_FAILED'), async (scene, ann) => {
      const { id, etag } = await withVersions(scene, ann, 1)
      return [
        setsChannel(ann, id, 'live', 1, etag),
        editsVersion(ann, id, 1, { min_build: 7 }, etag),
        setsChannel(ann, id, 'beta', 1, etag),
      ]
    }))
})
