import type { ErrorCode } from '../../../src/platform/errors.ts'
import type { Answer } from '../../support/exchange.ts'
import {
  type Act,
  agrees,
  type Command,
  commandOn,
  member,
  newIdIn,
  type Requests,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { failureOf, rightContent } from './arriving.ts'
import {
  assetRecord,
  changedVersion,
  currentVersion,
  newAsset,
  newVersion,
  versionOf,
  versionRecord,
} from './asset-record.ts'
import { aName, anUpload } from './choose.ts'
import { CHECKED_TYPE } from './content.ts'
import { forget, giveUp } from './counting.ts'
import { variantRefusal } from './declaring.ts'
import { drawIfMatch, ifMatch, isMatch } from './etags.ts'
import type { Item } from './files.ts'
import { isTaken } from './names.ts'
import { fileRecord } from './records.ts'
import { type Asset, bornAt, changedAt, now, type Upload, type World } from './state.ts'
import { changed, shown } from './tree.ts'
import { isOver, uploadRecord } from './uploads.ts'

interface Completion {
  name?: string
  parts?: { part_number: number; etag: string }[]
}

export const completeUpload: Command = {
  operation: 'completeUpload',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anUpload(world, draw, ({ state }) => state === 'open')
    const { etag } = world.uploads.get(id)?.part ?? { etag: null }
    const header = drawIfMatch(world, targetOf(world, id)?.id ?? '', draw)
    const [isNamed, name] = [draw.chance(30), aName(draw)]
    const [isGiven, isFalse] = [draw.chance(60), draw.chance(15)]
    const json: Completion = {
      ...(isNamed && { name }),
      ...(isGiven && etag !== null && { parts: [{ part_number: 1, etag: isFalse ? 'none-such' : etag }] }),
    }
    return completesUpload(user, id, json, header)
  },
}

export function completesUpload(
  user: string,
  id: string,
  json: Completion = {},
  header?: string,
): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} completes ${id} ${JSON.stringify(json)} (${header})`,
    send: (service) => service.request(user, 'POST', `/uploads/${id}/complete`, { json, headers }),
    judge: (world, answer) => {
      const upload = world.uploads.get(id)
      if (!upload || upload.owner_id !== user) return refused(answer, 'UPLOAD_NOT_FOUND')
      const isAccepted = upload.state === 'completed' || waits(upload)
      if (!isAccepted && !completes(world, upload, json, header, answer)) return
      if (waits(upload)) agreesAsProcessing(world, upload, answer)
      else agreesAsCompleted(world, upload, answer)
    },
  }
}

/** Whether its content is being checked. */
export function waits({ state, check }: Upload): boolean {
  return state === 'open' && check === 'waiting'
}

function agreesAsProcessing(world: World, upload: Upload, answer: Answer): void {
  const file = world.items.get(upload.file_id ?? '')
  const record = uploadRecord(world, upload, answer)
  agrees(answer, 202, { upload: record, ...(file && { file: fileRecord(shown(world, file)) }) })
}

function agreesAsCompleted(world: World, upload: Upload, answer: Answer): void {
  const record = uploadRecord(world, upload, answer)
  const file = world.items.get(upload.file_id ?? '')
  const asset = world.assets.get(upload.asset_id ?? '')
  const version = versionOf(asset, upload.version ?? 0)
  if (file) agrees(answer, 200, { upload: record, file: fileRecord(shown(world, file)) })
  else if (!asset || !version) refused(answer, asset ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND')
  else if (upload.variant_of !== null && !version.variants.some(({ content }) => content === upload.id))
    refused(answer, 'VARIANT_NOT_FOUND')
  else agrees(answer, 200, { upload: record, asset: assetRecord(asset), version: versionRecord(version) })
}

/**
 * Ends an open upload, one way or the other, or has its content checked, unless something is in the way. Tells whether
 * nothing is left for the client to do.
 */
function completes(
  world: World,
  upload: Upload,
  json: Completion,
  header: string | undefined,
  answer: Answer,
): boolean {
  const file = world.items.get(upload.file_id ?? '')
  const refusal = hopeless(world, upload, header)
  if (upload.state === 'open' && isForNothing(world, upload, refusal)) fail(world, upload, refusal)
  const given = json.parts?.[0]?.etag ?? upload.part.recorded?.etag ?? null
  if (refusal === undefined && upload.in_parts && given !== null && given === upload.part.etag)
    if (!world.objects.has(upload.id)) world.objects.set(upload.id, upload.part.content)
  const code = refusal ?? verdict(world, upload, file)
  if (code) {
    refused(answer, code)
    return false
  }
  if (upload.mime_type === CHECKED_TYPE && upload.check === null)
    return beginsCheck(world, upload, { name: json.name, header }, answer)
  if (file) becomeContent(world, upload, file)
  else if (!becomesVersion(world, upload, json.name, answer)) return false
  upload.state = 'completed'
  return true
}

/** When the job asks the checker for the first time, in seconds. */
const FIRST_PAUSE = 60

/** Has the content wait for its verdict, with what the completion has said, unless the name of a new asset is taken. */
function beginsCheck(
  world: World,
  upload: Upload,
  { name = upload.name ?? '', header }: { name: string | undefined; header: string | undefined },
  answer: Answer,
): boolean {
  const isNewAsset = upload.upload_type === 'game_asset' && upload.asset_id === null
  if (isNewAsset && isTaken(world, upload.owner_id, name)) {
    refused(answer, 'DUPLICATE_ASSET_NAME')
    return false
  }
  const file = world.items.get(upload.file_id ?? '')
  const target = targetOf(world, upload.id)
  upload.check = 'waiting'
  upload.expires_at = Math.max(upload.expires_at, now(world) + FIRST_PAUSE + world.limits.UPLOAD_TTL)
  upload.part.recorded = null
  if (isNewAsset) upload.name = name
  if (target && header !== undefined) upload.expected = header === '*' ? null : target.changes
  if (file?.processing_state === 'pending') {
    file.processing_state = 'processing'
    changed(file)
  }
  return true
}

/** The file or the asset that was there before the upload, and gets its content. */
function targetOf(world: World, id: string): Item | Asset | undefined {
  const upload = world.uploads.get(id)
  if (upload?.upload_type === 'file')
    return upload.replaces ? world.items.get(upload.file_id ?? '') : undefined
  return upload?.asset_type === null ? world.assets.get(upload.asset_id ?? '') : undefined
}

/** Why it can't be completed, whatever has arrived. */
export function hopeless(world: World, upload: Upload, header: string | undefined): ErrorCode | undefined {
  if (upload.state === 'failed') return failureOf(upload)
  if (isOver(world, upload)) return 'UPLOAD_EXPIRED'
  const asset = upload.asset_id === null ? undefined : world.assets.get(upload.asset_id)
  if (upload.asset_id !== null && asset?.deleted_at !== null) return 'ASSET_NOT_FOUND'
  if (asset && upload.variant_of !== null) {
    const refusal = variantRefusal(asset, upload.variant_of, upload.platform)
    if (refusal) return refusal
  } else if (asset && asset.versions.length >= world.limits.MAX_VERSIONS_PER_ASSET) return 'LIMIT_REACHED'
  const target = targetOf(world, upload.id)
  if (!target) return undefined
  const isExpected =
    header === undefined
      ? upload.expected === null || upload.expected === target.changes
      : isMatch(target, header)
  return isExpected ? undefined : 'PRECONDITION_FAILED'
}

/** Whether what the upload is for has gone for good: its asset, or the version whose variant it was to become. */
export function isForNothing(
  world: World,
  { asset_id }: Upload,
  refusal: ErrorCode | undefined,
): refusal is ErrorCode {
  return (
    refusal === 'VERSION_NOT_FOUND' || (refusal === 'ASSET_NOT_FOUND' && !world.assets.has(asset_id ?? ''))
  )
}

/** What has arrived, against what was declared. Looking at a file's first content shows in its record for a while. */
function verdict(world: World, upload: Upload, file: Item | undefined): ErrorCode | undefined {
  const content = world.objects.get(upload.id)
  if (content === undefined) {
    if (file && !upload.replaces) changed(file)
    return 'UPLOAD_INCOMPLETE'
  }
  const isChecked = upload.checksum_sha256 !== undefined || upload.mime_type === 'image/gif'
  const isRight =
    content.length === upload.size_bytes &&
    !world.foreign.has(upload.id) &&
    (!isChecked || content === rightContent(upload))
  if (isRight) return undefined
  fail(world, upload, 'UPLOAD_MISMATCH')
  return 'UPLOAD_MISMATCH'
}

export function fail(world: World, upload: Upload, failure: ErrorCode): void {
  giveUp(world, upload)
  upload.state = 'failed'
  upload.failure = failure
  const file = world.items.get(upload.file_id ?? '')
  if (file?.processing_state === 'pending' || file?.processing_state === 'processing') {
    file.processing_state = 'failed'
    changed(file)
  }
}

export function becomeContent(world: World, upload: Upload, file: Item): void {
  const { size_bytes, mime_type } = upload
  Object.assign(file, {
    size_bytes,
    mime_type,
    content: upload.id,
    processing_state: 'ready',
    updated_at: changedAt(world, file),
  })
  changed(file)
}

function becomesVersion(world: World, upload: Upload, name: string | undefined, answer: Answer): boolean {
  const isNew = upload.asset_id === null
  const wanted = name ?? upload.name ?? ''
  if (isNew && isTaken(world, upload.owner_id, wanted)) {
    refused(answer, 'DUPLICATE_ASSET_NAME')
    return false
  }
  const more = {
    assets: Number(isNew),
    shown: Number(isNew && upload.visibility === 'public'),
    versions: 1,
  }
  if (refusedForWantOf(room(world, upload.owner_id, more), answer)) return false
  const ids = { asset: member(answer, 'asset', 'id'), version: member(answer, 'version', 'id') }
  becomeVersion(world, upload, wanted, ids)
  return true
}

/** Makes the content the next version of its asset, and the asset too when it is new. The service has given the ids. */
export function becomeVersion(
  world: World,
  upload: Upload,
  name: string,
  ids: { asset: unknown; version: unknown },
): void {
  const asset =
    upload.asset_id === null
      ? newAsset(world, {
          id: newIdIn(world, ids.asset),
          owner_id: upload.owner_id,
          type: upload.asset_type ?? '',
          name,
          visibility: upload.visibility ?? '',
          ...upload.page,
        })
      : world.assets.get(upload.asset_id)
  if (!asset) throw new Error(`no asset for upload ${upload.id}`)
  upload.asset_id = asset.id
  const { size_bytes, checksum_sha256 = null } = upload
  const version = versionOf(asset, upload.variant_of ?? 0)
  if (version) {
    version.variants.push({
      platform: upload.platform ?? '',
      size_bytes,
      checksum_sha256,
      created_at: bornAt(world, asset.owner_id),
      content: upload.id,
    })
    changedVersion(asset, version.version, bornAt(world, asset.owner_id))
    upload.version = version.version
    return
  }
  newVersion(world, asset, {
    id: newIdIn(world, ids.version),
    size_bytes,
    checksum_sha256,
    content: upload.id,
    notes: upload.notes,
    platform: upload.platform,
    ...upload.builds,
  })
  upload.version = currentVersion(asset)
}

export const abortUpload = commandOn('abortUpload', true, anUpload, abortsUpload)

export function abortsUpload(user: string, id: string): Act<Requests> {
  return {
    says: `${user} aborts ${id}`,
    send: (service) => service.request(user, 'DELETE', `/uploads/${id}`),
    judge: (world, answer) => {
      const upload = world.uploads.get(id)
      if (!upload || upload.owner_id !== user) return refused(answer, 'UPLOAD_NOT_FOUND')
      if (upload.state === 'completed') return refused(answer, 'UPLOAD_COMPLETED')
      end(world, upload, ['pending', 'processing', 'failed'])
      agrees(answer, 204)
    },
  }
}

/** Removes an upload, and the file that it was to bring, if that never had any content. */
export function end(world: World, upload: Upload, unfinished: (string | null)[]): void {
  if (upload.state === 'open') giveUp(world, upload)
  world.uploads.delete(upload.id)
  forget(world, upload.owner_id, upload.id, {})
  const file = world.items.get(upload.file_id ?? '')
  const isAwaited = [...world.uploads.values()].some(({ file_id }) => file_id === upload.file_id)
  if (!file || upload.replaces || isAwaited || file.content !== null) return
  if (!unfinished.includes(file.processing_state)) return
  world.items.delete(file.id)
  forget(world, upload.owner_id, file.id, {})
}
