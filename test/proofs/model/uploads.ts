import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import {
  type Act,
  agrees,
  type Command,
  commandOn,
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
import { anUpload } from './choose.ts'
import { expectSignedUntil } from './content.ts'
import { alsoUnseen, type Declared, declaration, isEmpty, startRefusal } from './declaring.ts'
import { drawIfMatch, ifMatch } from './etags.ts'
import { newItem } from './files.ts'
import { fileRecord } from './records.ts'
import { now, type Page, type Upload, type World } from './state.ts'
import { shown } from './tree.ts'

export const startUpload: Command = {
  operation: 'startUpload',
  writes: true,
  draw: (world, draw) => {
    const { user, json } = declaration(world, draw)
    const [key, header] = [drawKey(draw), drawIfMatch(world, json.file_id ?? json.asset_id ?? '', draw)]
    return startsUpload(user, json, key, header)
  },
}

export function startsUpload(user: string, json: Declared, key?: string, header?: string): Act<Requests> {
  const headers = { ...keyHeader(key), ...ifMatch(header) }
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
  const target = replaced ?? world.assets.get(json.asset_id ?? '')
  const upload: Upload = {
    id: newIdIn(world, member(answer, 'id')),
    owner_id,
    upload_type,
    state: 'open',
    failure: null,
    check: null,
    size_bytes,
    mime_type,
    checksum_sha256,
    expires_at: now(world) + world.limits.UPLOAD_TTL,
    url_until: now(world) + world.limits.UPLOAD_URL_TTL,
    in_parts: size_bytes > world.limits.MULTIPART_THRESHOLD,
    part: { url: null, etag: null, content: '', recorded: null },
    file_id: isFile ? (json.file_id ?? newIdIn(world, member(answer, 'file', 'id'))) : null,
    replaces: replaced !== undefined,
    expected: target && header !== undefined && header !== '*' ? target.changes : null,
    asset_id: json.asset_id ?? null,
    asset_type: isFile ? null : (json.asset_type ?? null),
    name: isFile ? null : (json.name ?? null),
    visibility: isFile ? null : (json.visibility ?? null),
    page: pageOf(json),
    notes: json.notes || null,
    builds: { min_build: json.min_build ?? null, max_build: json.max_build ?? null },
    platform: json.platform ?? null,
    variant_of: json.version ?? null,
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

/** What it says of a new asset. */
function pageOf({ description, tags, metadata, listed, rating }: Declared): Page {
  return {
    ...(description !== undefined && { description }),
    ...(tags && { tags }),
    ...(metadata && { metadata }),
    ...(listed !== undefined && { listed }),
    ...(rating !== undefined && { rating }),
  }
}

/** Whether its time is over. */
export function isOver(world: World, { state, check, expires_at }: Upload): boolean {
  return state === 'open' && check !== 'waiting' && expires_at <= now(world)
}

/** Whether it has become a version of an asset that has been deleted for good. */
function isOfGone(world: World, { upload_type, state, asset_id }: Upload): boolean {
  return upload_type === 'game_asset' && state === 'completed' && !world.assets.has(asset_id ?? '')
}

/** What a failed upload says of why, when its content was to be checked. */
const reasons: Record<string, string> = {
  UPLOAD_REJECTED: 'It has a virus.',
  ASSET_NOT_FOUND: 'The asset has been deleted permanently.',
  VERSION_NOT_FOUND: 'The version has been deleted.',
}

/** The state of an upload, and of the check of its content. */
function stateOf({ state, check, failure }: Upload) {
  if (check === null) return { state }
  if (state === 'failed') return { state, processing_state: 'failed', reason: reasons[failure ?? ''] }
  if (state === 'completed') return { state, processing_state: 'ready' }
  return { state: 'processing', processing_state: check === 'waiting' ? 'processing' : check }
}

/**
 * An upload as answers have it (docs/conformance.md#uploads). What is signed is taken over from the answer, and looked
 * at.
 */
export function uploadRecord(world: World, upload: Upload, answer: Answer, isStart = false) {
  const { id, upload_type, state, size_bytes, expires_at, mime_type, checksum_sha256, part } = upload
  const file = world.items.get(upload.file_id ?? '')
  const always = {
    id,
    upload_type,
    ...stateOf(upload),
    size_bytes,
    expires_at,
    ...(file && { file: fileRecord(shown(world, file)) }),
  }
  if (state !== 'open' || upload.check !== null) return always
  if (upload.in_parts) {
    const uploaded = part.recorded === null ? [] : [part.recorded]
    const { PART_SIZE } = world.limits
    const parts = { part_size: PART_SIZE, part_count: Math.ceil(size_bytes / PART_SIZE) }
    const multipart = isStart && uploaded.length === 0 ? parts : { ...parts, uploaded }
    return { ...always, method: 'PUT', multipart }
  }
  const url = String(member(answer, 'url'))
  expect(new URL(url).pathname.split('/').at(-1), 'the object that the URL makes').toBe(id)
  expectSignedUntil(url, urlEnd(world, upload))
  upload.url_until = urlEnd(world, upload)
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
      'x-amz-meta-upload': id,
      'x-amz-metadata-directive': 'COPY',
      ...noCopy,
    },
  }
}

/** What keeps a signed PUT from being made a copy. */
export const noCopy = {
  'x-amz-copy-source-if-match': '"none"',
  'x-amz-source-expected-bucket-owner': 'none',
}

/** When a URL that is signed now ends. */
export function urlEnd(world: World, { expires_at }: Upload): number {
  return Math.min(now(world) + world.limits.UPLOAD_URL_TTL, expires_at)
}

export const getUpload = commandOn('getUpload', false, anUpload, readsUpload)

export function readsUpload(user: string, id: string): Act<Requests> {
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
