import { currentVersion } from '../../proofs/model/asset-record.ts'
import { deletesVersion, rollsBack } from '../../proofs/model/asset-versions.ts'
import { addsFavorite, removesFavorite } from '../../proofs/model/favorites.ts'
import { changesAsset, createsAsset, deletesAsset, restoresAsset } from '../../proofs/model/game-assets.ts'
import { deletesPreview, setsPreview } from '../../proofs/model/previews.ts'
import { png } from '../../support/pictures.ts'
import { branchesSource } from './branching.ts'
import { assets, liveAssets, unused } from './fitting.ts'
import { key, type Offers, step, withOne } from './offering.ts'

/** The beginning of every preview, by which the service knows a PNG. */
const PICTURE = String.fromCharCode(...png)

/** What an actor can do with game assets. */
export const assetOffers: Offers = {
  'create an asset': (actor) => {
    const json = { name: `asset ${actor.word()}`, type: 'prop', visibility: 'private' }
    return step('create an asset', createsAsset(actor.user, json, key(actor)))
  },
  'change an asset': (actor) =>
    withOne(actor, liveAssets(actor), ({ id, visibility: before }) => {
      const visibility = before === 'public' ? 'private' : 'public'
      const change = { name: `asset ${actor.word()}`, visibility }
      return step('change an asset', changesAsset(actor.user, id, change))
    }),
  'delete an asset': (actor) =>
    withOne(actor, unused(actor, liveAssets(actor)), ({ id }) =>
      step('delete an asset', deletesAsset(actor.user, id, false)),
    ),
  'restore an asset': (actor) =>
    withOne(
      actor,
      assets(actor).filter(({ deleted_at }) => deleted_at !== null),
      ({ id }) => step('restore an asset', restoresAsset(actor.user, id)),
    ),
  'purge an asset': (actor) =>
    withOne(actor, unused(actor, assets(actor)), ({ id }) =>
      step('purge an asset', deletesAsset(actor.user, id, true)),
    ),
  branch: (actor) =>
    withOne(actor, actor.run.sourcesFor(actor), (source) =>
      step('branch', branchesSource(actor, source, `branch ${actor.word()}`, key(actor))),
    ),
  'roll back': (actor) =>
    withOne(
      actor,
      liveAssets(actor).filter(({ versions }) => versions.length > 0),
      ({ id, versions }) =>
        withOne(actor, versions, ({ version }) =>
          step('roll back', rollsBack(actor.user, id, version, key(actor))),
        ),
    ),
  'delete a version': (actor) =>
    withOne(
      actor,
      liveAssets(actor).flatMap((asset) =>
        asset.versions
          .filter(({ version }) => version !== currentVersion(asset))
          .map(({ version }) => ({ id: asset.id, version })),
      ),
      ({ id, version }) => step('delete a version', deletesVersion(actor.user, id, version)),
    ),
  'edit a page': (actor) =>
    withOne(actor, liveAssets(actor), ({ id }) => {
      const word = actor.word()
      const page = { description: `About ${word}.`, tags: [`tag-${word}`, 'castle'], metadata: { word } }
      return step('edit a page', changesAsset(actor.user, id, { ...page, listed: actor.below(4) > 0 }))
    }),
  'set a preview': (actor) =>
    withOne(actor, liveAssets(actor), ({ id }) =>
      // Others bytes and another length each time.
      step('set a preview', setsPreview(actor.user, id, PICTURE + actor.word().repeat(1 + actor.below(9)))),
    ),
  'delete a preview': (actor) =>
    withOne(
      actor,
      liveAssets(actor).filter(({ preview }) => preview !== null),
      ({ id }) => step('delete a preview', deletesPreview(actor.user, id)),
    ),
  'add a favorite': (actor) =>
    withOne(actor, liveAssets(actor), ({ id }) => step('add a favorite', addsFavorite(actor.user, id))),
  'remove a favorite': (actor) =>
    withOne(actor, actor.model.favorites.get(actor.user) ?? [], (id) =>
      step('remove a favorite', removesFavorite(actor.user, id)),
    ),
}
