import type { ErrorCode } from '../../../src/platform/errors.ts'
import type { Answer } from '../../support/exchange.ts'
import {
  type Act,
  agrees,
  type Command,
  type Manner,
  member,
  type Requests,
  refused,
  unspoken,
} from './act.ts'
import { anUpload } from './choose.ts'
import { checksums, contentOf, expectSignedUntil, picture } from './content.ts'
import { now, type Upload, type World } from './state.ts'
import { isOver, noCopy, urlEnd } from './uploads.ts'

/** A client sends an upload's content, right or not, in one PUT or as its only part; perhaps after its end. */
export const sendContent: Command = {
  operation: 'PUT',
  writes: true,
  draw: (world, draw) => {
    const isLate = draw.chance(12)
    // Until the end of an upload, its client gets a new URL when the last one has expired.
    const isUsable = ({ id, expires_at, url_until }: Upload) =>
      (isLate ? url_until : expires_at) > now(world) && (world.uploads.get(id)?.state === 'open') === !isLate
    const upload = draw.of([...world.urls.values()].filter(isUsable))
    if (!upload || (upload.in_parts && upload.part.url === null)) return undefined
    const { owner_id: user, size_bytes } = upload
    const wrong = draw.one(contentOf(size_bytes, 'y'), contentOf(size_bytes + 1, 'x'))
    const content = draw.chance(12) ? wrong : rightContent(upload)
    const [isForeign, manner] = [draw.chance(10), draw.one<Manner>('with an encoding', 'as a copy')]
    return sendsContent(user, upload, content, isForeign && !upload.in_parts ? manner : 'as signed')
  },
}

export function sendsContent(
  user: string,
  upload: Upload,
  content: string,
  manner: Manner = 'as signed',
): Act {
  const { id } = upload
  return {
    says: `${user} sends ${content.slice(0, 1)} to ${id} ${manner}`,
    send: async (service) => {
      if (!upload.in_parts)
        return { ...unspoken, status: (await service.putObject(upload, content, manner)) ? 204 : 412 }
      const etag = await service.putPart(upload, content)
      return etag === undefined ? { ...unspoken, status: 404 } : { ...unspoken, body: { etag } }
    },
    judge: (world, answer) => {
      const upload = world.uploads.get(id)
      if (upload?.in_parts) {
        // A part may come again until it has been joined; after that its upload is no more.
        const etag = member(answer, 'etag')
        if (typeof etag === 'string') Object.assign(upload.part, { etag, content })
      } else if (upload?.state === 'open') arrives(world, id, content, answer, manner)
    },
  }
}

/** Content arrives for an open upload in one PUT. The first content stays. */
export function arrives(world: World, id: string, content: string, answer: Answer, manner: Manner): void {
  agrees(answer, world.objects.has(id) ? 412 : 204)
  if (world.objects.has(id)) return
  world.objects.set(id, content)
  if (manner !== 'as signed') world.foreign.add(id)
}

export function rightContent({ mime_type, size_bytes }: Upload): string {
  return mime_type === 'image/gif' ? picture : contentOf(size_bytes, 'x')
}

/** Why parts of an upload are neither handed out nor recorded. */
function partsRefusal(world: World, user: string, id: string): ErrorCode | undefined {
  const upload = world.uploads.get(id)
  if (!upload || upload.owner_id !== user) return 'UPLOAD_NOT_FOUND'
  if (upload.state === 'failed') return failureOf(upload)
  if (upload.state === 'completed' || upload.check !== null) return 'UPLOAD_COMPLETED'
  if (isOver(world, upload)) return 'UPLOAD_EXPIRED'
  return upload.in_parts ? undefined : 'VALIDATION_FAILED'
}

/** What a failed upload failed with. */
export function failureOf({ failure }: Upload): ErrorCode {
  const known = ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND', 'UPLOAD_REJECTED'] as const
  return known.find((code) => code === failure) ?? 'UPLOAD_MISMATCH'
}

export const presignParts: Command = {
  operation: 'presignParts',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anUpload(world, draw, ({ in_parts }) => in_parts)
    const etag = world.uploads.get(id)?.part.etag ?? undefined
    const part_number = draw.chance(15) ? 2 : 1
    const isRecording = draw.chance(50) && etag !== undefined
    const checksum_sha256 = draw.of([undefined, checksums[0], checksums[1]])
    return asksForPart(user, id, part_number, isRecording ? { etag, checksum_sha256 } : undefined)
  },
}

/** Asks for the URL of a part, or has one recorded. */
export function asksForPart(
  user: string,
  id: string,
  part_number = 1,
  recorded?: { etag: string; checksum_sha256: string | undefined },
): Act<Requests> {
  const { etag, checksum_sha256 } = recorded ?? {}
  const part = { part_number, etag, ...(checksum_sha256 && { checksum_sha256 }) }
  const json = recorded ? { uploaded: [part] } : { part_numbers: [part_number] }
  return {
    says: `${user} asks for parts of ${id}: ${JSON.stringify(json)}`,
    send: (service) => service.request(user, 'POST', `/uploads/${id}/parts`, { json }),
    judge: (world, answer) => {
      const refusal = partsRefusal(world, user, id)
      const upload = world.uploads.get(id)
      if (refusal || !upload) return refused(answer, refusal ?? 'UPLOAD_NOT_FOUND')
      if (part_number > 1) return refused(answer, 'VALIDATION_FAILED')
      if (recorded) {
        // A checksum is of the bytes with this ETag, and stays with it.
        const before = upload.part.recorded
        const kept = checksum_sha256 ?? (before?.etag === recorded.etag ? before.checksum_sha256 : undefined)
        upload.part.recorded = { part_number: 1, etag: recorded.etag, ...(kept && { checksum_sha256: kept }) }
        return agrees(answer, 200, { parts: [] })
      }
      const url = String(member(answer, 'parts', '0', 'url'))
      upload.part.url = url
      const headers = { 'Content-Length': String(upload.size_bytes), ...noCopy }
      const url_expires_at = urlEnd(world, upload)
      upload.url_until = url_expires_at
      expectSignedUntil(url, url_expires_at)
      agrees(answer, 200, { parts: [{ part_number: 1, url, url_expires_at, headers }] })
    },
  }
}
