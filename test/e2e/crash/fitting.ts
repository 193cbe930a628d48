import { ownAsset } from '../../proofs/model/asset-record.ts'
import type { Item } from '../../proofs/model/files.ts'
import type { Asset, Upload } from '../../proofs/model/state.ts'
import { ownLive } from '../../proofs/model/tree.ts'
import type { Actor } from './actor.ts'

/* Which items, assets, uploads and notifications an actor may act on, as the model has them. */

/** An upload is left alone when its time is nearly over, in seconds. */
const HASTE = 3

/** Where something of the actor's goes: the root, or a folder. */
export const folderOf = (actor: Actor) =>
  actor.pick([null, ...liveItems(actor).filter(({ asset_type }) => asset_type === 'folder')])?.id ?? null

const items = ({ model }: Actor) => [...model.items.values()]

export const liveItems = (actor: Actor) =>
  items(actor).filter(({ id }) => ownLive(actor.model, actor.user, id) !== undefined)

/** Files whose content can be downloaded. */
export const readyFiles = (actor: Actor) =>
  liveItems(actor).filter(({ processing_state }) => processing_state === 'ready')

/** Without what the job may take away at any moment, because the time of its upload is over. */
export const lasting = (actor: Actor, items: Item[]): Item[] =>
  items.filter(({ id }) =>
    openUploads(actor).every((upload) => upload.file_id !== id || upload.replaces || !isOver(upload)),
  )

export const isOver = ({ expires_at }: Upload) => expires_at - HASTE <= Date.now() / 1_000

export const trashed = (actor: Actor) =>
  lasting(
    actor,
    items(actor).filter(({ trashed_at }) => trashed_at !== null),
  )

export const assets = ({ model }: Actor) => [...model.assets.values()]

export const liveAssets = (actor: Actor) =>
  assets(actor).filter(({ id }) => ownAsset(actor.model, actor.user, id) !== undefined)

/** Assets that no open upload is for. */
export const unused = (actor: Actor, assets: Asset[]) =>
  assets.filter(({ id }) => !openUploads(actor).some(({ asset_id }) => asset_id === id))

export const openUploads = ({ model }: Actor): Upload[] =>
  [...model.uploads.values()].filter(({ state }) => state === 'open')

export const notices = ({ model, user }: Actor) => model.inboxes.get(user)?.notices ?? []
