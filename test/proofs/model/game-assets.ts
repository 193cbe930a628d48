import {
  type Act,
  agrees,
  type Command,
  creates,
  drawKey,
  keyHeader,
  member,
  newIdIn,
  type Requests,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import {
  assetRecord,
  assetSummary,
  byNewest,
  changedAsset,
  levelOf,
  newAsset,
  ownAsset,
  removeAsset,
} from './asset-record.ts'
import { aName, anAsset, aPage, aPlayer } from './choose.ts'
import { drawIfMatch, expectEtag, ifMatch, isMatch } from './etags.ts'
import { isTaken } from './names.ts'
import { allPages } from './pages.ts'
import { changedAt, type Page } from './state.ts'

const DAY = 86_400

interface NewAsset extends Page {
  name: string
  type: string
  visibility: string
}

export const createAsset: Command = {
  operation: 'createAsset',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const [name, key] = [aName(draw), drawKey(draw)]
    const json = {
      name,
      type: draw.one('world', 'prop', 'avatar'),
      visibility: draw.one('public', 'private'),
      ...aPage(draw),
    }
    return createsAsset(user, json, key)
  },
}

export function createsAsset(user: string, json: NewAsset, key?: string): Act<Requests> {
  const { name } = json
  return {
    key,
    says: `${user} creates asset ${JSON.stringify(json)} (${key})`,
    send: (service) =>
      service.request(user, 'POST', '/game/assets', {
        json,
        headers: keyHeader(key),
      }),
    judge: (world, answer) =>
      creates(world, answer, {
        caller: user,
        key,
        request: ['createAsset', json],
        again: (made) => {
          const asset = ownAsset(world, user, made)
          if (asset) agrees(answer, 201, assetRecord(asset))
          else refused(answer, 'ASSET_NOT_FOUND')
        },
        make: () => {
          const isRefused = isTaken(world, user, name)
          if (isRefused) refused(answer, 'DUPLICATE_ASSET_NAME')
          const more = { assets: 1, shown: Number(json.visibility === 'public') }
          if (isRefused || refusedForWantOf(room(world, user, more), answer)) return undefined
          const id = newIdIn(world, member(answer, 'id'))
          const asset = newAsset(world, { id, owner_id: user, ...json })
          agrees(answer, 201, assetRecord(asset))
          expectEtag(asset, answer)
          return id
        },
      }),
  }
}

export const editAsset: Command = {
  operation: 'editAsset',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw)
    const [kind, name, visibility] = [draw.below(4), aName(draw), draw.one('public', 'private')]
    const page = { listed: draw.chance(60), ...aPage(draw) }
    const json: Change = [{ visibility }, { name }, page, { name, visibility, ...page }][kind] ?? {}
    return changesAsset(user, id, json, drawIfMatch(world, id, draw))
  },
}

interface Change extends Page {
  name?: string
  visibility?: string
}

export function changesAsset(user: string, id: string, json: Change, header?: string): Act<Requests> {
  return {
    says: `${user} changes asset ${id} to ${JSON.stringify(json)} (${header})`,
    send: (service) => service.request(user, 'PUT', `/game/assets/${id}`, { json, headers: ifMatch(header) }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      if (!isMatch(asset, header)) return refused(answer, 'PRECONDITION_FAILED')
      if (json.rating === null && asset.rating !== null) return refused(answer, 'VALIDATION_FAILED')
      if (
        json.rating !== undefined &&
        asset.rating_locked &&
        levelOf(json.rating) < levelOf(asset.rating_locked)
      )
        return refused(answer, 'RATING_LOCKED')
      if (json.name !== undefined && isTaken(world, user, json.name, id))
        return refused(answer, 'DUPLICATE_ASSET_NAME')
      const shown = Number(json.visibility === 'public' && asset.visibility !== 'public')
      if (refusedForWantOf(room(world, user, { shown }), answer)) return
      if (shown === 1) {
        const pause = changedAt(world, asset) - (asset.private_since ?? 0)
        if (pause >= DAY) asset.public_since = changedAt(world, asset)
        asset.published_at = asset.public_since
      }
      if (json.visibility === 'private') {
        if (asset.visibility === 'public') asset.private_since = changedAt(world, asset)
        asset.published_at = null
      }
      Object.assign(asset, json, { updated_at: changedAt(world, asset) })
      changedAsset(asset)
      agrees(answer, 200, assetRecord(asset))
      expectEtag(asset, answer)
    },
  }
}

export const deleteAsset: Command = {
  operation: 'deleteAsset',
  writes: true,
  draw: (world, draw) => {
    const permanent = draw.chance(30)
    const any = draw.chance(30)
    const { user, id } = anAsset(world, draw, ({ deleted_at }) => any || deleted_at === null)
    return deletesAsset(user, id, permanent, drawIfMatch(world, id, draw))
  },
}

export function deletesAsset(user: string, id: string, permanent: boolean, header?: string): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} deletes asset ${id} (${permanent ? 'for good' : 'for now'}, ${header})`,
    send: (service) =>
      service.request(user, 'DELETE', `/game/assets/${id}${permanent ? '?permanent=true' : ''}`, { headers }),
    judge: (world, answer) => {
      const asset = world.assets.get(id)
      if (asset?.owner_id !== user || (!permanent && asset.deleted_at !== null))
        return refused(answer, 'ASSET_NOT_FOUND')
      if (!isMatch(asset, header)) return refused(answer, 'PRECONDITION_FAILED')
      changedAsset(asset)
      if (permanent) removeAsset(world, asset)
      else asset.deleted_at = world.now_ms
      agrees(answer, 204)
    },
  }
}

export const restoreAsset: Command = {
  operation: 'restoreAsset',
  writes: true,
  draw: (world, draw) => {
    const any = draw.chance(20)
    const { user, id } = anAsset(world, draw, ({ deleted_at }) => any || deleted_at !== null)
    const [isNamed, name] = [draw.chance(40), aName(draw)]
    const json = isNamed ? { name } : {}
    return restoresAsset(user, id, json)
  },
}

export function restoresAsset(user: string, id: string, json: { name?: string } = {}): Act<Requests> {
  return {
    says: `${user} restores asset ${id} ${JSON.stringify(json)}`,
    send: (service) => service.request(user, 'POST', `/game/assets/${id}/restore`, { json }),
    judge: (world, answer) => {
      const asset = world.assets.get(id)
      if (asset?.owner_id !== user) return refused(answer, 'ASSET_NOT_FOUND')
      if (asset.deleted_at === null) return agrees(answer, 200, assetRecord(asset))
      const wanted = json.name ?? asset.name
      if (isTaken(world, user, wanted)) return refused(answer, 'DUPLICATE_ASSET_NAME')
      const shown = Number(asset.visibility === 'public')
      if (refusedForWantOf(room(world, user, { shown }), answer)) return
      asset.deleted_at = null
      changedAsset(asset)
      if (wanted !== asset.name) Object.assign(asset, { name: wanted, updated_at: changedAt(world, asset) })
      agrees(answer, 200, assetRecord(asset))
    },
  }
}

export const listAssets: Command = {
  operation: 'listAssets',
  writes: false,
  draw: (world, draw) =>
    listsAssets(
      aPlayer(world, draw),
      draw.chance(30),
      draw.one(undefined, 'world', 'prop'),
      draw.one(100, 1, 2),
    ),
}

export function listsAssets(
  user: string,
  deleted: boolean,
  type: string | undefined,
  limit: number,
): Act<Requests> {
  return {
    says: `${user} lists assets (${deleted ? 'deleted' : 'live'}, ${type})`,
    send: (service) =>
      allPages(
        { deleted, type, limit },
        (query) => service.request(user, 'GET', `/game/assets?${query}`),
        'assets',
      ),
    judge: (world, answer) => {
      const assets = byNewest(world).filter(
        (asset) =>
          asset.owner_id === user &&
          (asset.deleted_at !== null) === deleted &&
          (type ?? asset.type) === asset.type,
      )
      agrees(answer, 200, { assets: assets.map(assetSummary), next_cursor: null })
    },
  }
}
