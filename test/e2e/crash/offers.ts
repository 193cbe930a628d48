import type { Act } from './act.ts'
import type { Actor } from './actor.ts'
import * as assets from './asset-acts.ts'
import * as files from './file-acts.ts'
import * as inbox from './inbox-acts.ts'
import type { Item, OpenUpload, Purpose } from './ledger.ts'
import * as operators from './operator-acts.ts'
import * as sending from './sending-acts.ts'
import * as uploads from './upload-acts.ts'

/** An upload is left alone when its time is nearly over, in seconds. */
const HASTE = 3

const folderOf = ({ ledger, pick }: Actor) =>
  pick([null, ...ledger.liveItems().filter(({ record }) => record.asset_type === 'folder')])?.record.id ??
  null

/** What an actor can do at this moment, by the kind of act; undefined when there is nothing to do it to. */
export const offers: Record<string, (actor: Actor) => Act | undefined | Promise<Act | undefined>> = {
  'create a folder': (actor) => files.createFolder(actor, folderOf(actor)),
  'change an item': (actor) =>
    withOne(actor, lasting(actor, actor.ledger.liveItems()), (item) =>
      files.changeItem(
        actor,
        item,
        actor.below(2) === 0 ? { name: actor.word() } : { is_public: !item.record.is_public },
      ),
    ),
  move: (actor) =>
    withOne(actor, lasting(actor, actor.ledger.liveItems()), (item) => {
      const parent_id = folderOf(actor)
      const isCycle = parent_id !== null && actor.ledger.isWithin(parent_id, item.record.id)
      return isCycle ? undefined : files.changeItem(actor, item, { parent_id })
    }),
  delete: (actor) =>
    withOne(actor, lasting(actor, actor.ledger.liveItems()), (item) => files.deleteItem(actor, item)),
  restore: (actor) => withOne(actor, trashed(actor), (item) => files.restoreItem(actor, item)),
  purge: (actor) => withOne(actor, trashed(actor), (item) => files.purgeItem(actor, item)),
  'empty the trash': (actor) => (trashed(actor).length > 0 ? files.emptyTrash(actor) : undefined),
  share: (actor) =>
    withOne(actor, actor.ledger.readyFiles(), (file) =>
      withOne(actor, actor.world.granteesFor(actor), (grantee) => files.share(actor, file, grantee)),
    ),
  revoke: (actor) => withOne(actor, [...actor.ledger.shares.values()], (share) => files.revoke(actor, share)),

  'start file': (actor) =>
    uploads.startUpload(actor, { purpose: 'file', parent_id: folderOf(actor) }, actor.below(2_000)),
  'start mismatch': (actor) =>
    uploads.startUpload(actor, { purpose: 'mismatch', parent_id: folderOf(actor) }, 100),
  'start parts': (actor) =>
    uploads.startUpload(
      actor,
      { purpose: 'parts', parent_id: folderOf(actor) },
      sending.PART_SIZE + 1 + actor.below(1_000),
    ),
  'start replacement': (actor) =>
    withOne(actor, actor.ledger.readyFiles(), (file) =>
      uploads.startUpload(actor, { purpose: 'replacement', file }, actor.below(2_000)),
    ),
  'start asset': (actor) => uploads.startUpload(actor, { purpose: 'asset' }, 1 + actor.below(2_000)),
  'start version': (actor) =>
    withOne(actor, liveAssets(actor), (asset) =>
      uploads.startUpload(actor, { purpose: 'version', asset }, 1 + actor.below(2_000)),
    ),
  'send parts': (actor) =>
    withOne(
      actor,
      openUploads(actor, 'parts').filter((upload) => !sending.isSent(upload)),
      (upload) => sending.sendPart(actor, upload),
    ),
  'send late': (actor) => withOne(actor, actor.ledger.aborted, (upload) => sending.sendLate(upload)),

  'create an asset': (actor) => assets.createAsset(actor),
  'change an asset': (actor) => withOne(actor, liveAssets(actor), (asset) => assets.editAsset(actor, asset)),
  'delete an asset': (actor) => withOne(actor, unused(actor), (asset) => assets.deleteAsset(actor, asset)),
  'restore an asset': (actor) =>
    withOne(
      actor,
      [...actor.ledger.assets.values()].filter(({ isDeleted }) => isDeleted),
      (asset) => assets.restoreAsset(actor, asset),
    ),
  'purge an asset': (actor) =>
    withOne(actor, unused(actor, true), (asset) => assets.purgeAsset(actor, asset)),
  branch: (actor) => withOne(actor, actor.world.sourcesFor(actor), (source) => assets.branch(actor, source)),
  'roll back': (actor) =>
    withOne(
      actor,
      actor.world.sourcesFor(actor).filter(({ isOwn }) => isOwn),
      (source) => assets.rollBack(actor, source),
    ),

  publish: (actor) => inbox.publish(actor),
  read: (actor) =>
    actor.ledger.inbox.length > 0
      ? inbox.markRead(
          actor,
          actor.below(4) === 0 ? [] : actor.some(actor.ledger.inbox, 3).map(({ id }) => id),
        )
      : undefined,
  'delete a notification': (actor) =>
    withOne(actor, actor.ledger.inbox, (notification) => inbox.deleteNotification(actor, notification)),

  'run the job': (actor) => operators.runJob(actor),
  erase: (actor) => (actor.isMortal ? operators.erase(actor) : undefined),
}

export const purposes: Purpose[] = ['file', 'replacement', 'asset', 'version', 'parts', 'mismatch']
for (const purpose of purposes) {
  offers[`send ${purpose}`] ??= (actor) =>
    withOne(
      actor,
      openUploads(actor, purpose).filter((upload) => !sending.isSent(upload)),
      (upload) => sending.sendContent(upload),
    )
  offers[`complete ${purpose}`] = (actor) =>
    withOne(actor, openUploads(actor, purpose).filter(sending.isSent), (upload) =>
      uploads.complete(actor, upload),
    )
  offers[`abort ${purpose}`] = (actor) =>
    withOne(actor, openUploads(actor, purpose).filter(sending.isSent), (upload) =>
      uploads.abort(actor, upload),
    )
}

function withOne<Thing, Made>(actor: Actor, things: Thing[], make: (thing: Thing) => Made): Made | undefined {
  const thing = actor.pick(things)
  return thing === undefined ? undefined : make(thing)
}

/** Without what the job may take away at any moment, because the time of its upload is over. */
const lasting = ({ ledger }: Actor, items: Item[]): Item[] =>
  items.filter(({ record }) =>
    [...ledger.uploads.values()].every(
      (upload) => upload.target !== record.id || upload.purpose === 'replacement' || !isOver(upload),
    ),
  )

const isOver = ({ expires_at }: OpenUpload) => expires_at - HASTE <= Date.now() / 1_000

const trashed = (actor: Actor) =>
  lasting(
    actor,
    [...actor.ledger.items.values()].filter(({ isTrashed }) => isTrashed),
  )

const liveAssets = ({ ledger }: Actor) => [...ledger.assets.values()].filter(({ isDeleted }) => !isDeleted)

/** Assets that no open upload is for. */
const unused = ({ ledger }: Actor, deletedToo = false) =>
  [...ledger.assets.values()].filter(
    ({ record, isDeleted }) =>
      (deletedToo || !isDeleted) && ![...ledger.uploads.values()].some(({ target }) => target === record.id),
  )

const openUploads = ({ ledger }: Actor, purpose: Purpose): OpenUpload[] =>
  [...ledger.uploads.values()].filter((upload) => upload.purpose === purpose && !isOver(upload))
