import type { Act, Requests } from './act.ts'
import { listsVersions, readsAsset, readsVersion } from './asset-versions.ts'
import { addsFavorite, listsFavorites, removesFavorite } from './favorites.ts'
import { asksForUrl, readsFile } from './files.ts'
import { listsAssets } from './game-assets.ts'
import { listsFiles } from './listing.ts'
import { listsMutes } from './mutes.ts'
import { listsNotifications } from './notifications.ts'
import { asksForSharedUrl, listsSharesOf } from './shares.ts'
import type { World } from './state.ts'
import { listsTrash } from './trash.ts'

/** As many as a page has at most in every list. */
const PAGE = 100

/** A user goes through the lists of everything that is theirs: anything that nobody expects shows in one of them. */
export function listing(world: World, user: string): Act<Requests>[] {
  const isOwn = ({ owner_id }: { owner_id: string }) => owner_id === user
  const folders = [...world.items.values()].filter((item) => isOwn(item) && item.asset_type === 'folder')
  return [
    listsFolder(user, null),
    ...folders.map(({ id }) => listsFolder(user, id)),
    listsTrash(user, PAGE),
    listsAssets(user, false, undefined, PAGE),
    listsAssets(user, true, undefined, PAGE),
    ...[...world.assets.values()].filter(isOwn).map(({ id }) => listsVersions(user, id, PAGE)),
    listsFavorites(user, PAGE),
    listsMutes(user, PAGE),
    listsNotifications(user, PAGE, 0),
  ]
}

export function listsFolder(user: string, parent_id: string | null): Act<Requests> {
  return listsFiles(user, { parent_id, sort: 'name', order: undefined, asset_type: undefined }, PAGE)
}

/** A user asks for each item, asset and share that there is, whoever has it, and likes each asset for a moment. */
export function askingForEach({ items, assets, shares }: World, user: string): Act<Requests>[] {
  return [
    ...[...items.keys()].flatMap((id) => [
      ...[readsFile, asksForUrl, listsSharesOf].map((asks) => asks(user, id)),
      listsFolder(user, id),
    ]),
    ...[...assets.keys()].flatMap((id) => [
      readsAsset(user, id),
      listsVersions(user, id, PAGE),
      readsVersion(user, id, 1, true),
      addsFavorite(user, id),
      removesFavorite(user, id),
    ]),
    ...[...shares.keys()].map((id) => asksForSharedUrl(user, id)),
  ]
}
