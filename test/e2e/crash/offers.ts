import { erasesUser } from '../../proofs/model/erasing.ts'
import { changesFile, createsFolder, deletesFile } from '../../proofs/model/files.ts'
import { deletesMany, deletesNotification, marksRead, publishes } from '../../proofs/model/notifications.ts'
import { createsShare, revokesShare } from '../../proofs/model/shares.ts'
import type { Upload } from '../../proofs/model/state.ts'
import { emptiesTrash, purgesFile, restoresFile } from '../../proofs/model/trash.ts'
import { pathOf } from '../../proofs/model/tree.ts'
import type { Actor } from './actor.ts'
import { assetOffers } from './asset-offers.ts'
import {
  folderOf,
  isOver,
  lasting,
  liveAssets,
  liveItems,
  notices,
  openUploads,
  readyFiles,
  trashed,
} from './fitting.ts'
import { runJob } from './job.ts'
import { key, type Offers, step, withOne } from './offering.ts'
import * as sending from './sending.ts'
import type { Step } from './step.ts'

/** Everything that an actor can do. */
export const offers: Offers = {
  'create a folder': (actor) =>
    step('create a folder', createsFolder(actor.user, `folder ${actor.word()}`, folderOf(actor), key(actor))),
  'change an item': (actor) =>
    withOne(actor, lasting(actor, liveItems(actor)), ({ id, is_public }) => {
      const change = actor.below(2) === 0 ? { name: actor.word() } : { is_public: !is_public }
      return step('change an item', changesFile(actor.user, id, change))
    }),
  move: (actor) =>
    withOne(actor, lasting(actor, liveItems(actor)), (item) => {
      const parent_id = folderOf(actor)
      const isCycle = pathOf(actor.model, parent_id).includes(item)
      return isCycle ? undefined : step('move', changesFile(actor.user, item.id, { parent_id }))
    }),
  delete: (actor) =>
    withOne(actor, lasting(actor, liveItems(actor)), ({ id }) => step('delete', deletesFile(actor.user, id))),
  restore: (actor) =>
    withOne(actor, trashed(actor), ({ id }) => step('restore', restoresFile(actor.user, id))),
  purge: (actor) => withOne(actor, trashed(actor), ({ id }) => step('purge', purgesFile(actor.user, id))),
  'empty the trash': (actor) =>
    trashed(actor).length > 0 ? step('empty the trash', emptiesTrash(actor.user)) : undefined,
  share: (actor) =>
    withOne(actor, readyFiles(actor), ({ id }) =>
      withOne(actor, actor.run.granteesFor(actor), (grantee_id) => {
        const shares = [...actor.model.shares.values()]
        const isKnown = shares.some((share) => share.file_id === id && share.grantee_id === grantee_id)
        const expires_at = isKnown ? Math.floor(Date.now() / 1_000) + 86_400 : null
        const terms = { permission: isKnown ? 'edit' : 'view', expires_at }
        return step('share', createsShare(actor.user, id, { grantee_id, ...terms }, key(actor)))
      }),
    ),
  revoke: (actor) =>
    withOne(actor, [...actor.model.shares.values()], ({ id }) =>
      step('revoke', revokesShare(actor.user, id)),
    ),

  'start file': (actor) => startFile(actor, 'file', actor.below(2_000)),
  'start mismatch': (actor) => startFile(actor, 'mismatch', 100),
  'start parts': (actor) => startFile(actor, 'parts', actor.model.limits.PART_SIZE + 1 + actor.below(1_000)),
  'start replacement': (actor) =>
    withOne(actor, readyFiles(actor), ({ id: file_id }) =>
      sending.start(actor, 'replacement', { upload_type: 'file', file_id }, actor.below(2_000)),
    ),
  'start asset': (actor) => {
    const aim = { upload_type: 'game_asset' as const, asset_type: 'world', visibility: 'private' }
    return sending.start(actor, 'asset', aim, 1 + actor.below(2_000))
  },
  'start version': (actor) =>
    withOne(actor, liveAssets(actor), ({ id: asset_id }) =>
      sending.start(actor, 'version', { upload_type: 'game_asset', asset_id }, 1 + actor.below(2_000)),
    ),
  'send late': (actor) =>
    withOne(
      actor,
      [...actor.sendings].flatMap(([id, one]) =>
        one.isAborted && one.target ? [{ id, one, target: one.target }] : [],
      ),
      ({ id, one, target }) => sending.sendLate(actor, id, one, target),
    ),

  ...assetOffers,

  publish: (actor) => {
    const social = { from_user_id: notices(actor).length, from_display_name: actor.word() }
    const message =
      actor.below(2) === 0
        ? { type: 'friend_request', data: social }
        : { type: 'shop.gift', data: { gift: actor.word() }, expires_in: 86_400 }
    return step('publish', publishes(actor.operator, { user_id: actor.user, ...message }, key(actor)))
  },
  read: (actor) => {
    if (notices(actor).length === 0) return undefined
    const some = actor.below(4) === 0 ? [] : actor.some(notices(actor), 3).map(({ id }) => id)
    return step('read', marksRead(actor.user, some))
  },
  'delete a notification': (actor) =>
    withOne(actor, notices(actor), ({ id }) =>
      step('delete a notification', deletesNotification(actor.user, id)),
    ),
  'delete notifications': (actor) => {
    const notification_ids = actor.some(notices(actor), 3).map(({ id }) => id)
    const selection = actor.pick([{ notification_ids }, { state: 'read' as const }, { all: true as const }])
    return selection && step('delete notifications', deletesMany(actor.user, selection))
  },

  'run the job': runJob,
  erase: (actor) =>
    actor.isMortal
      ? { kind: 'erase', act: erasesUser(actor.operator, actor.user), afterwards: () => actor.beginAnew() }
      : undefined,
}

for (const purpose of sending.purposes) {
  const offer = (isSent: boolean, make: (actor: Actor, upload: Upload, one: sending.Sending) => Step) => {
    return (actor: Actor) => {
      const fitting = openUploads(actor).flatMap((upload) => {
        const one = actor.sendings.get(upload.id)
        if (one?.purpose !== purpose || isOver(upload)) return []
        return sending.isSent(actor, upload, one) === isSent ? [{ upload, one }] : []
      })
      return withOne(actor, fitting, ({ upload, one }) => make(actor, upload, one))
    }
  }
  offers[`send ${purpose}`] = offer(false, sending.send)
  offers[`complete ${purpose}`] = offer(true, sending.complete)
  offers[`abort ${purpose}`] = offer(true, sending.abort)
}

function startFile(actor: Actor, purpose: 'file' | 'mismatch' | 'parts', size_bytes: number): Step {
  const asset_type = purpose === 'mismatch' ? 'emote' : 'file'
  return sending.start(
    actor,
    purpose,
    { upload_type: 'file', asset_type, parent_id: folderOf(actor) },
    size_bytes,
  )
}
