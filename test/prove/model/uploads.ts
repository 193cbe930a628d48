import { expect } from 'vitest'
import type { ErrorCode } from '../../../src/errors.ts'
import type { Answer } from '../../support/user.ts'
import {
  type Act,
  agrees,
  type Command,
  creates,
  type Draw,
  drawKey,
  member,
  newIdIn,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { aName, anAsset, anItem, anUpload, aPlace, aPlayer } from './choose.ts'
import { checksums, expectSignedUntil, picture, sizes } from './content.ts'
import { drawIfMatch, fileRecord, isMatch, newItem, placeRefusal } from './files.ts'
import { isTaken } from './names.ts'
import { level, ownLive } from './tree.ts'
import { now, type Upload, type World } from './world.ts'

const types = ['file', 'file', 'chat_attachment', 'emote'] as const

/** The body that starts an upload. */
export interface Declared {
  upload_type: 'file' | 'game_asset'
  size_bytes: number
  mime_type: string
  checksum_sha256?: string
  file_id?: string
  asset_id?: string
  name?: string
  asset_type?: string
  parent_id?: string | null
  visibility?: string
}

/** Somebody, and what they declare of an upload: new content for something, or something new. */
function declaration(world: World, draw: Draw): { user: string; json: Declared } {
  const file = anItem(world, draw, ({ trashed_at, mime_type }) => trashed_at === null && mime_type !== null)
  const asset = anAsset(world, draw)
  const [player, kind, name, asset_type] = [aPlayer(world, draw), draw.below(5), aName(draw), draw.of(types)]
  const parent_id = aPlace(world, player, draw)
  const [size, isChecked, isPublic] = [draw.of(sizes) ?? 0, draw.chance(25), draw.chance(60)]
  const isPicture = kind < 2 && asset_type === 'emote'
  const size_bytes = isPicture ? picture.length : size
  const content = {
    size_bytes,
    mime_type: isPicture ? 'image/gif' : 'text/plain',
    ...(isChecked && !isPicture && { checksum_sha256: checksums[size_bytes] }),
  }
  const visibility = isPublic ? 'public' : 'private'
  if (kind < 2)
    return { user: player, json: { upload_type: 'file', name, asset_type, parent_id, ...content } }
  if (kind === 2) return { user: file.user, json: { upload_type: 'file', file_id: file.id, ...content } }
  if (kind === 3)
    return { user: asset.user, json: { upload_type: 'game_asset', asset_id: asset.id, ...content } }
  return {
    user: player,
    json: {
      upload_type: 'game_asset',
      name,
      asset_type: isPublic ? 'world' : 'avatar',
      visibility,
      ...content,
    },
  }
}

export const startUpload: Command = {
  operation: 'startUpload',
  writes: true,
  draw: (world, draw) => {
    const { user, json } = declaration(world, draw)
    const [key, header] = [drawKey(draw), drawIfMatch(world, json.file_id ?? '', draw)]
    return startsUpload(user, json, key, header)
  },
}

export function startsUpload(user: string, json: Declared, key?: string, header?: string): Act {
  const headers = { ...(key && { 'Idempotency-Key': key }), ...(header && { 'If-Match': header }) }
  return {
    key,
    says: `${user} starts ${JSON.stringify(json)} ${JSON.stringify(headers)}`,
    send: (service) => service.request(user, 'POST', '/uploads', { json, headers }),
    judge: (world, answer) => {
      const inParts = json.size_bytes > world.limits.MULTIPART_THRESHOLD
      const isNew = json.file_id === undefined && json.asset_id === undefined
      if ((isNew && isEmpty(json)) || (inParts && json.checksum_sha256))
        return refused(answer, ...alsoUnseen(world, user, json), 'VALIDATION_FAILED')
      creates(world, answer, {
        caller: user,
        key,
        request: ['startUpload', json, header === '*' ? undefined : header],
        again: (made) => {
          const upload = world.uploads.get(made)
          if (!upload) return refused(answer, 'UPLOAD_NOT_FOUND')
          if (isOver(world, upload)) return refused(answer, 'UPLOAD_EXPIRED')
          if (isOfGone(world, upload)) return refused(answer, 'UPLOAD_NOT_FOUND')
          agrees(answer, 201, uploadRecord(world, upload, answer, true))
        },
        make: () => {
          const refusal = startRefusal(world, user, json, header)
          const more = {
            uploads: 1,
            bytes: json.size_bytes,
            items: isNew && json.upload_type === 'file' ? 1 : 0,
          }
          if (refusal) refused(answer, refusal)
          if (refusal || refusedForWantOf(room(world, user, more), answer)) return undefined
          const upload = newUpload(world, user, json, header, answer)
          agrees(answer, 201, uploadRecord(world, upload, answer, true))
          return upload.id
        },
      })
    },
  }
}

/** What is for one PUT only is refused before the file or the asset is looked for; but nobody relies on that. */
function alsoUnseen(world: World, user: string, json: Declared): ErrorCode[] {
  const refusal = startRefusal(world, user, json, undefined)
  return refusal ? [refusal] : []
}

function isEmpty({ size_bytes, upload_type, asset_type }: Declared): boolean {
  return size_bytes === 0 && (upload_type === 'game_asset' || asset_type === 'emote')
}

function startRefusal(
  world: World,
  user: string,
  json: Declared,
  header: string | undefined,
): ErrorCode | undefined {
  const { limits } = world
  if (json.file_id !== undefined) {
    const file = ownLive(world, user, json.file_id)
    if (!file) return 'FILE_NOT_FOUND'
    if (!isMatch(file, header)) return 'PRECONDITION_FAILED'
    if (file.asset_type === 'folder') return 'FILE_IS_FOLDER'
    if (file.asset_type === 'emote') return 'VALIDATION_FAILED'
    return file.processing_state === 'pending' ? 'FILE_NOT_READY' : undefined
  }
  if (json.asset_id !== undefined) {
    const asset = world.assets.get(json.asset_id)
    if (!asset || asset.owner_id !== user || asset.deleted_at !== null) return 'ASSET_NOT_FOUND'
    if (json.size_bytes === 0) return 'VALIDATION_FAILED'
    return asset.versions.length >= limits.MAX_VERSIONS_PER_ASSET ? 'LIMIT_REACHED' : undefined
  }
  if (json.upload_type === 'game_asset')
    return isTaken(world, user, json.name) ? 'DUPLICATE_ASSET_NAME' : undefined
  const parent_id = json.parent_id ?? null
  const refusal = placeRefusal(world, user, parent_id)
  return refusal ?? (level(world, parent_id) > limits.MAX_FOLDER_DEPTH ? 'LIMIT_REACHED' : undefined)
}

function newUpload(
  world: World,
  owner_id: string,
  json: Declared,
  header: string | undefined,
  answer: Answer,
): Upload {
  const { upload_type, size_bytes, mime_type, checksum_sha256 } = json
  const replaced = json.file_id === undefined ? undefined : world.items.get(json.file_id)
  const isFile = upload_type === 'file'
  const upload: Upload = {
    id: newIdIn(world, member(answer, 'id')),
    owner_id,
    upload_type,
    state: 'open',
    failure: null,
    size_bytes,
    mime_type,
    checksum_sha256,
    expires_at: now(world) + world.limits.UPLOAD_TTL,
    in_parts: size_bytes > world.limits.MULTIPART_THRESHOLD,
    part: { url: null, etag: null, content: '', recorded: null },
    file_id: isFile ? (json.file_id ?? newIdIn(world, member(answer, 'file', 'id'))) : null,
    replaces: replaced !== undefined,
    expected: replaced && header !== undefined && header !== '*' ? replaced.changes : null,
    asset_id: json.asset_id ?? null,
    asset_type: isFile ? null : (json.asset_type ?? null),
    name: isFile ? null : (json.name ?? null),
    visibility: isFile ? null : (json.visibility ?? null),
    version: null,
  }
  world.uploads.set(upload.id, upload)
  world.urls.set(upload.id, upload)
  if (isFile && !replaced)
    newItem(world, {
      id: upload.file_id ?? '',
      owner_id,
      name: json.name ?? '',
      parent_id: json.parent_id ?? null,
      asset_type: json.asset_type ?? 'file',
      size_bytes,
      mime_type,
      processing_state: 'pending',
    })
  return upload
}

/** Whether its time is over. */
export function isOver(world: World, { state, expires_at }: Upload): boolean {
  return state === 'open' && expires_at <= now(world)
}

/** Whether it has become a version of an asset that has been deleted for good. */
function isOfGone(world: World, { upload_type, state, asset_id }: Upload): boolean {
  return upload_type === 'game_asset' && state === 'completed' && !world.assets.has(asset_id ?? '')
}

/** An upload as answers have it (decisions, "Uploads"). What is signed is taken over from the answer, and looked at. */
export function uploadRecord(world: World, upload: Upload, answer: Answer, isStart = false) {
  const { id, upload_type, state, size_bytes, expires_at, mime_type, checksum_sha256, part } = upload
  const file = world.items.get(upload.file_id ?? '')
  const always = { id, upload_type, state, size_bytes, expires_at, ...(file && { file: fileRecord(file) }) }
  if (state !== 'open') return always
  if (upload.in_parts) {
    const uploaded = part.recorded === null ? [] : [{ part_number: 1, etag: part.recorded }]
    const parts = { part_size: world.limits.PART_SIZE, part_count: 1 }
    const multipart = isStart && uploaded.length === 0 ? parts : { ...parts, uploaded }
    return { ...always, method: 'PUT', multipart }
  }
  const url = String(member(answer, 'url'))
  expect(new URL(url).pathname.split('/').at(-1), 'the object that the URL makes').toBe(id)
  expectSignedUntil(url, urlEnd(world, upload))
  return {
    ...always,
    method: 'PUT',
    url,
    url_expires_at: urlEnd(world, upload),
    headers: {
      'Content-Length': String(size_bytes),
      'Content-Type': mime_type,
      'Content-Disposition': member(answer, 'headers', 'Content-Disposition'),
      'If-None-Match': '*',
      ...(checksum_sha256 && { 'x-amz-checksum-sha256': checksum_sha256 }),
    },
  }
}

/** When a URL that is signed now ends. */
export function urlEnd(world: World, { expires_at }: Upload): number {
  return Math.min(now(world) + world.limits.UPLOAD_URL_TTL, expires_at)
}

export const getUpload: Command = {
  operation: 'getUpload',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anUpload(world, draw)
    return readsUpload(user, id)
  },
}

export function readsUpload(user: string, id: string): Act {
  return {
    says: `${user} reads upload ${id}`,
    send: (service) => service.request(user, 'GET', `/uploads/${id}`),
    judge: (world, answer) => {
      const upload = world.uploads.get(id)
      if (!upload || upload.owner_id !== user || isOfGone(world, upload))
        return refused(answer, 'UPLOAD_NOT_FOUND')
      if (isOver(world, upload)) return refused(answer, 'UPLOAD_EXPIRED')
      agrees(answer, 200, uploadRecord(world, upload, answer))
    },
  }
}
