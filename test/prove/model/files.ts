import { expect } from 'vitest'
import type { ErrorCode } from '../../../src/errors.ts'
import type { Answer } from '../../support/user.ts'
import {
  type Act,
  agrees,
  type Command,
  codeOf,
  creates,
  type Draw,
  drawKey,
  keyHeader,
  member,
  newIdIn,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { aName, anItem, aPlace, aPlayer, isLive } from './choose.ts'
import { expectUrl } from './content.ts'
import { changed, height, inside, isBlocked, level, ownLive, pathOf, place, sight } from './tree.ts'
import { type Item, now, type World } from './world.ts'

/** Records as answers have them (specification §2.1). */
function changedRecord(item: Item, isTop = false) {
  const {
    id,
    owner_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    is_public,
    blocked,
    created_at,
    updated_at,
  } = item
  return {
    id,
    owner_id,
    parent_id: isTop ? null : parent_id,
    name,
    asset_type,
    size_bytes,
    is_public,
    created_at,
    updated_at,
    ...(blocked && { blocked }),
  }
}

export function fileRecord(item: Item, isTop = false) {
  const { mime_type, processing_state } = item
  return { ...changedRecord(item, isTop), mime_type, processing_state }
}

export function listedRecord(item: Item) {
  return { ...fileRecord(item), ...(item.asset_type === 'folder' && { shortcode: null }) }
}

/** Why nothing may be put into a folder. */
export function placeRefusal(world: World, user_id: string, parent_id: string | null): ErrorCode | undefined {
  if (parent_id === null) return undefined
  const folder = ownLive(world, user_id, parent_id)
  if (!folder) return 'FILE_PARENT_NOT_FOUND'
  if (folder.asset_type !== 'folder') return 'FILE_PARENT_NOT_FOLDER'
  return undefined
}

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

export function createsFolder(user: string, name: string, parent_id: string | null, key?: string): Act {
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
          if (folder) agrees(answer, 201, changedRecord(folder))
          else refused(answer, 'FILE_NOT_FOUND')
        },
        make: () => {
          const refusal =
            placeRefusal(world, user, parent_id) ??
            (level(world, parent_id) > world.limits.MAX_FOLDER_DEPTH ? 'LIMIT_REACHED' : undefined)
          if (refusal) refused(answer, refusal)
          if (refusal || refusedForWantOf(room(world, user, { items: 1 }), answer)) return undefined
          const id = newIdIn(world, member(answer, 'id'))
          const folder = newItem(world, { id, owner_id: user, name, parent_id, asset_type: 'folder' })
          agrees(answer, 201, changedRecord(folder))
          return folder.id
        },
      }),
  }
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
    created_at: now(world),
    updated_at: now(world),
    trashed_at: null,
    content: null,
    changes: 0,
    etags: {},
    ...item,
  }
  world.items.set(made.id, made)
  return made
}

/** An If-Match header, sometimes: the ETag as it was last seen, an older one, any, or one that was never given. */
export function drawIfMatch(world: World, id: string, draw: Draw): string | undefined {
  const { changes = 0, etags = {} } = world.items.get(id) ?? {}
  const [isSent, kind, old] = [draw.chance(20), draw.below(4), draw.below(100)]
  const past = Object.keys(etags).filter((at) => Number(at) < changes)
  const header = [etags[changes], etags[Number(past[old % Math.max(1, past.length)])], '*', '"none-such"'][
    kind
  ]
  return isSent ? (header ?? '*') : undefined
}

/** Whether what an If-Match header asks for holds. */
export function isMatch({ changes, etags }: Item, header: string | undefined): boolean {
  return header === undefined || header === '*' || etags[changes] === header
}

export function ifMatch(header: string | undefined): Record<string, string> {
  return header === undefined ? {} : { 'If-Match': header }
}

/** Compares the ETag with those that the item had: the same for the same record, another for another. */
export function expectEtag(item: Item, answer: Answer): void {
  const etag = answer.headers.get('ETag') ?? 'none'
  item.etags[item.changes] ??= etag
  expect(etag, 'the ETag of an unchanged record').toBe(item.etags[item.changes])
  const others = Object.entries(item.etags).filter(([at]) => Number(at) !== item.changes)
  expect(
    others.map(([, other]) => other),
    'the ETags that it had before',
  ).not.toContain(etag)
}

interface Change {
  name?: string
  parent_id?: string | null
  is_public?: boolean
}

export const changeFile: Command = {
  operation: 'changeFile',
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

export function changesFile(user: string, id: string, json: Change, header?: string): Act {
  return {
    says: `${user} changes ${id} to ${JSON.stringify(json)} (${header})`,
    send: (service) => service.request(user, 'PATCH', `/files/${id}`, { json, headers: ifMatch(header) }),
    judge: (world, answer) => {
      const item = ownLive(world, user, id)
      if (!item) return refused(answer, 'FILE_NOT_FOUND')
      if (!isMatch(item, header)) return refused(answer, 'PRECONDITION_FAILED')
      if ('parent_id' in json && refusedMove(world, user, item, json.parent_id ?? null, answer)) return
      if ('parent_id' in json && json.parent_id !== item.parent_id) place(world, item, json.parent_id ?? null)
      if ('name' in json) item.name = json.name ?? item.name
      if ('is_public' in json) item.is_public = json.is_public ?? item.is_public
      item.updated_at = now(world)
      changed(item)
      agrees(answer, 200, changedRecord(item))
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

export function deletesFile(user: string, id: string, header?: string): Act {
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

export function readsFile(user: string, id: string): Act {
  return {
    says: `${user} reads ${id}`,
    send: (service) => service.request(user, 'GET', `/files/${id}`),
    judge: (world, answer) => {
      const seen = sight(world, user, id)
      if (!seen) return refused(answer, 'FILE_NOT_FOUND')
      const ancestors = seen.above.map(({ id, name, asset_type }) => ({ id, name, asset_type }))
      agrees(answer, 200, { file: fileRecord(seen.item, seen.isTop), ancestors })
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
  },
}

const sorts = ['name', 'created_at', 'size_bytes'] as const

export const listFiles: Command = {
  operation: 'listFiles',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const anyFolder = anItem(world, draw, ({ asset_type }) => asset_type === 'folder').id
    const ownPlace = aPlace(world, user, draw)
    const parent_id = draw.chance(30) ? anyFolder : ownPlace
    const sort = draw.of(sorts) ?? 'name'
    const order = draw.one(undefined, 'asc' as const, 'desc' as const)
    const asset_type = draw.one(undefined, undefined, 'folder', 'file')
    return listsFiles(user, { parent_id, sort, order, asset_type }, draw.one(100, 1, 2))
  },
}

interface Listing {
  parent_id: string | null
  sort: (typeof sorts)[number]
  order: 'asc' | 'desc' | undefined
  asset_type: string | undefined
}

/** Reads a whole folder, page by page. */
export function listsFiles(user: string, listing: Listing, limit: number): Act {
  const { parent_id, sort, order = sort === 'name' ? 'asc' : 'desc', asset_type } = listing
  const query = { parent_id, sort, order: listing.order, asset_type, limit }
  return {
    says: `${user} lists ${JSON.stringify(query)}`,
    send: (service) => allPages(query, (path) => service.request(user, 'GET', `/files?${path}`), 'files'),
    judge: (world, answer) => {
      const folder = parent_id === null ? undefined : sight(world, user, parent_id)?.item
      if (parent_id !== null && !folder) return refused(answer, 'FILE_PARENT_NOT_FOUND')
      if (folder && folder.asset_type !== 'folder') return refused(answer, 'FILE_PARENT_NOT_FOLDER')
      const items = folder
        ? inside(world, folder.id)
        : [...world.items.values()].filter((item) => item.parent_id === null && item.owner_id === user)
      const shown = items.filter(
        (item) =>
          item.trashed_at === null &&
          (asset_type === undefined || item.asset_type === asset_type) &&
          (item.owner_id === user || !isBlocked(world, item.id)),
      )
      agrees(answer, 200, { files: sorted(shown, sort, order).map(listedRecord), next_cursor: null })
    },
  }
}

function sorted(items: Item[], sort: Listing['sort'], order: 'asc' | 'desc'): Item[] {
  const key = (item: Item) => (sort === 'name' ? lower(item.name) : item[sort])
  const ascending = items.sort((one, other) =>
    key(one) === key(other) ? (one.id < other.id ? -1 : 1) : key(one) < key(other) ? -1 : 1,
  )
  return order === 'asc' ? ascending : ascending.reverse()
}

/** Without regard to ASCII case. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** All pages of a list as if they were one; or the answer that was no page. */
export async function allPages(
  query: Record<string, unknown>,
  page: (query: string) => Promise<Answer>,
  name: string,
): Promise<Answer> {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const params = new URLSearchParams(asked.map(([key, value]) => [key, String(value)]))
  const first = await page(params.toString())
  const all: unknown[] = []
  for (let answer = first; ; answer = await page(params.toString())) {
    const rows = member(answer, name)
    if (!Array.isArray(rows)) return answer
    const cursor = member(answer, 'next_cursor')
    const isFull = rows.length === Number(query.limit)
    // What is hidden from a grantee is left out of its page.
    if (typeof cursor === 'string' && name !== 'shares')
      expect(isFull, 'a page with another after it').toBe(true)
    expect(rows.length).toBeLessThanOrEqual(Number(query.limit))
    all.push(...rows)
    if (typeof cursor !== 'string') return { ...answer, body: { [name]: all, next_cursor: null } }
    params.set('cursor', cursor)
  }
}
