import type { ErrorCode } from '../../../src/platform/errors.ts'
import type { Answer } from '../../support/exchange.ts'
import {
  type Act,
  agrees,
  type Command,
  codeOf,
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
import { aName, anItem, aPlace, aPlayer, isLive } from './choose.ts'
import { expectUrl } from './content.ts'
import { drawIfMatch, expectEtag, ifMatch, isMatch } from './etags.ts'
import { changedRecord, fileRecord } from './records.ts'
import { bornAt, changedAt, now, type World } from './state.ts'
import {
  changed,
  entryRefusal,
  height,
  level,
  ownLive,
  pathOf,
  place,
  placeRefusal,
  shown,
  sight,
} from './tree.ts'

export const createFolder: Command = {
  operation: 'createFolder',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const parent_id = aPlace(world, user, draw)
    const [name, key] = [aName(draw), drawKey(draw)]
    return createsFolder(user, name, parent_id, key)
  },
}

export function createsFolder(
  user: string,
  name: string,
  parent_id: string | null,
  key?: string,
): Act<Requests> {
  const json = { name, asset_type: 'folder', parent_id }
  return {
    key,
    says: `${user} creates ${name} in ${parent_id} (${key})`,
    send: (service) => service.request(user, 'POST', '/files', { json, headers: keyHeader(key) }),
    judge: (world, answer) =>
      creates(world, answer, {
        caller: user,
        key,
        request: ['createFolder', json],
        again: (made) => {
          const folder = ownLive(world, user, made)
          if (folder) agrees(answer, 201, changedRecord(shown(world, folder)))
          else refused(answer, 'FILE_NOT_FOUND')
        },
        make: () => {
          const refusal = entryRefusal(world, user, parent_id)
          if (refusal) refused(answer, refusal)
          if (refusal || refusedForWantOf(room(world, user, { items: 1 }), answer)) return undefined
          const id = newIdIn(world, member(answer, 'id'))
          const folder = newItem(world, { id, owner_id: user, name, parent_id, asset_type: 'folder' })
          agrees(answer, 201, changedRecord(shown(world, folder)))
          return folder.id
        },
      }),
  }
}

export interface Item {
  id: string
  owner_id: string
  parent_id: string | null
  name: string
  asset_type: string
  size_bytes: number
  mime_type: string | null
  processing_state: 'pending' | 'processing' | 'ready' | 'failed' | null
  is_public: boolean
  blocked: boolean
  /** What the last decision about it does; undefined: there was none. */
  measure?: 'block' | 'none'
  /** Whether a share of it that was erased with its grantee may still be counted. */
  has_hidden_shares: boolean
  created_at: number
  updated_at: number
  /** When it was deleted directly, in milliseconds. */
  trashed_at: number | null
  /** The upload whose content it has. */
  content: string | null
  /** How often the record has changed, as far as its ETag must tell. */
  changes: number
  /** The ETags that have been seen, by `changes`. */
  etags: Record<number, string>
}

/** Puts an item into the story. */
export function newItem(
  world: World,
  item: Pick<Item, 'id' | 'owner_id' | 'name' | 'parent_id' | 'asset_type'> & Partial<Item>,
): Item {
  const made: Item = {
    size_bytes: 0,
    mime_type: null,
    processing_state: null,
    is_public: false,
    blocked: false,
    has_hidden_shares: false,
    created_at: bornAt(world, item.owner_id),
    updated_at: bornAt(world, item.owner_id),
    trashed_at: null,
    content: null,
    changes: 0,
    etags: {},
    ...item,
  }
  world.items.set(made.id, made)
  return made
}

/** What `editFile` changes. */
type Change = Partial<Pick<Item, 'name' | 'parent_id' | 'is_public'>>

export const editFile: Command = {
  operation: 'editFile',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw, isLive)
    const parent_id = aPlace(world, user, draw)
    const header = drawIfMatch(world, id, draw)
    const [kind, is_public, name] = [draw.below(4), draw.chance(60), aName(draw)]
    const changes: Change[] = [{ parent_id }, { is_public }, { name }, { name, parent_id, is_public }]
    const json = changes[kind] ?? {}
    return changesFile(user, id, json, header)
  },
}

export function changesFile(user: string, id: string, json: Change, header?: string): Act<Requests> {
  const { parent_id, ...others } = json
  return {
    says: `${user} changes ${id} to ${JSON.stringify(json)} (${header})`,
    send: (service) => service.request(user, 'PATCH', `/files/${id}`, { json, headers: ifMatch(header) }),
    judge: (world, answer) => {
      const item = ownLive(world, user, id)
      if (!item) return refused(answer, 'FILE_NOT_FOUND')
      if (!isMatch(item, header)) return refused(answer, 'PRECONDITION_FAILED')
      if (parent_id !== undefined && refusedMove(world, user, item, parent_id, answer)) return
      if (parent_id !== undefined && parent_id !== item.parent_id) place(world, item, parent_id)
      Object.assign(item, others, { updated_at: changedAt(world, item) })
      changed(item)
      agrees(answer, 200, changedRecord(shown(world, item)))
      expectEtag(item, answer)
    },
  }
}

/** Whether a move is refused, and then with the right code. What is deleted below may count against the depth, or not. */
function refusedMove(
  world: World,
  user: string,
  item: Item,
  parent_id: string | null,
  answer: Answer,
): boolean {
  if (parent_id === null) return false
  const refusal: ErrorCode | undefined =
    placeRefusal(world, user, parent_id) ??
    (pathOf(world, parent_id).includes(item) ? 'FILE_CYCLIC_MOVE' : undefined)
  const above = level(world, parent_id)
  const isTooDeep = (all: boolean) => above + height(world, item.id, all) > world.limits.MAX_FOLDER_DEPTH
  if (refusal) refused(answer, refusal)
  else if (isTooDeep(false)) refused(answer, 'LIMIT_REACHED')
  return refusal !== undefined || isTooDeep(false) || (isTooDeep(true) && codeOf(answer) === 'LIMIT_REACHED')
}

export const deleteFile: Command = {
  operation: 'deleteFile',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw, isLive)
    const header = drawIfMatch(world, id, draw)
    return deletesFile(user, id, header)
  },
}

export function deletesFile(user: string, id: string, header?: string): Act<Requests> {
  return {
    says: `${user} deletes ${id} (${header})`,
    send: (service) => service.request(user, 'DELETE', `/files/${id}`, { headers: ifMatch(header) }),
    judge: (world, answer) => {
      const item = ownLive(world, user, id)
      if (!item) return refused(answer, 'FILE_NOT_FOUND')
      if (!isMatch(item, header)) return refused(answer, 'PRECONDITION_FAILED')
      item.trashed_at = world.now_ms
      changed(item)
      agrees(answer, 204)
    },
  }
}

export const readFile: Command = {
  operation: 'getFile',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw)
    return readsFile(draw.chance(30) ? aPlayer(world, draw) : user, id)
  },
}

export function readsFile(user: string, id: string): Act<Requests> {
  return {
    says: `${user} reads ${id}`,
    send: (service) => service.request(user, 'GET', `/files/${id}`),
    judge: (world, answer) => {
      const seen = sight(world, user, id)
      if (!seen) return refused(answer, 'FILE_NOT_FOUND')
      const ancestors = seen.above.map(({ id, name, asset_type }) => ({ id, name, asset_type }))
      agrees(answer, 200, { file: fileRecord(shown(world, seen.item, user), seen.isTop), ancestors })
      expectEtag(seen.item, answer)
    },
  }
}

export const downloadUrl: Command = {
  operation: 'getDownloadUrl',
  writes: false,
  draw: (world, draw) => {
    const { user: owner, id } = anItem(world, draw)
    const user = draw.chance(30) ? aPlayer(world, draw) : owner
    return asksForUrl(user, id)
  },
}

export function asksForUrl(user: string, id: string): Act<Requests> {
  return {
    says: `${user} asks for a URL of ${id}`,
    send: (service) => service.request(user, 'GET', `/files/${id}/url`),
    judge: (world, answer) => {
      const item = sight(world, user, id)?.item
      if (!item) return refused(answer, 'FILE_NOT_FOUND')
      if (item.asset_type === 'folder') return refused(answer, 'FILE_IS_FOLDER')
      if (item.processing_state !== 'ready') return refused(answer, 'FILE_NOT_READY')
      expectUrl(world, answer, item.content, now(world) + world.limits.DOWNLOAD_URL_TTL)
    },
  }
}
