import { z } from '@hono/zod-openapi'
import { type Act, keyed, type Party, required, requireMembers, there } from './act.ts'
import type { Content } from './content.ts'
import type { Asset, Item, OpenUpload } from './ledger.ts'
import * as records from './records.ts'
import { type Answer, codeOf } from './wire.ts'

const CompletedFile = z.object({ file: records.ItemRecord })
const CompletedAsset = z.object({ asset: records.Asset, version: records.Version })

/** What an upload is for: a new file in a folder, new content for a file, a new asset, or a version of one. */
export type Aim =
  | { purpose: 'file' | 'parts' | 'mismatch'; parent_id: string | null }
  | { purpose: 'replacement'; file: Item }
  | { purpose: 'asset' }
  | { purpose: 'version'; asset: Asset }

function declared(aim: Aim, name: string): { declares: object; target?: string } {
  const upload_type = aim.purpose === 'asset' || aim.purpose === 'version' ? 'game_asset' : 'file'
  const declares = { upload_type, mime_type: 'application/octet-stream' }
  switch (aim.purpose) {
    case 'replacement':
      return { declares: { ...declares, file_id: aim.file.record.id }, target: aim.file.record.id }
    case 'version':
      return { declares: { ...declares, asset_id: aim.asset.record.id }, target: aim.asset.record.id }
    case 'asset':
      return { declares: { ...declares, name, asset_type: 'world' } }
    case 'mismatch': // the bytes that will come are no picture
      return {
        declares: {
          ...declares,
          name,
          parent_id: aim.parent_id,
          asset_type: 'emote',
          mime_type: 'image/png',
        },
      }
    default:
      return { declares: { ...declares, name, parent_id: aim.parent_id } }
  }
}

export function startUpload({ ledger, word }: Party, aim: Aim, size_bytes: number): Act {
  const { purpose } = aim
  const name = `${purpose} ${word()}`
  const content: Content = { seed: name, size_bytes }
  const { declares, target } = declared(aim, name)
  return {
    kind: `start ${purpose}`,
    request: {
      intent: `start "${name}" of ${size_bytes} bytes${target ? ` for ${target}` : ''}`,
      about: [name, ...(target ? [target] : [])],
      method: 'POST',
      path: '/uploads',
      json: { ...declares, size_bytes },
      headers: keyed(name),
    },
    settle(answer, attempt) {
      required(answer, 201, attempt)
      const { id, state, expires_at, url, headers, multipart, file } = records.Upload.parse(answer.body)
      requireMembers(
        { state, is_in_parts: multipart !== undefined },
        { state: 'open', is_in_parts: purpose === 'parts' },
      )
      const way = multipart ?? { url: there(url), headers: there(headers) }
      const upload: OpenUpload = { id, purpose, content, way, sent: [], expires_at }
      if (purpose === 'replacement') requireMembers(there(file), { id: target })
      else if (file) {
        requireMembers(file, { name, size_bytes, processing_state: 'pending' })
        ledger.items.set(file.id, { record: file, isTrashed: false })
      }
      const becomes = target ?? file?.id
      ledger.uploads.set(id, becomes === undefined ? upload : { ...upload, target: becomes })
    },
  }
}

export function complete({ ledger }: Party, upload: OpenUpload): Act {
  const { id, purpose, content, target, sent } = upload
  const parts = sent.map((etag, index) => ({ part_number: index + 1, etag }))
  return {
    kind: `complete ${purpose}`,
    request: {
      intent: `complete ${id}${target ? ` for ${target}` : ''}`,
      about: [id, ...(target ? [target] : [])],
      method: 'POST',
      path: `/uploads/${id}/complete`,
      json: purpose === 'parts' ? { parts } : {},
    },
    settle(answer, attempt) {
      if (isTooLate(upload, answer)) return
      if (purpose === 'mismatch') {
        required(answer, 422, attempt)
        const { record } = there(ledger.items.get(there(target)))
        record.processing_state = 'failed'
        ledger.endUpload(upload, 'failed', record.id)
      } else {
        required(answer, 200, attempt)
        const isForAsset = purpose === 'asset' || purpose === 'version'
        const filled = isForAsset
          ? hold(CompletedAsset.parse(answer.body))
          : fill(CompletedFile.parse(answer.body))
        ledger.endUpload(upload, 'completed', filled)
      }
    },
    // That completion is under way is noted in the file, and is all there may be of it.
    disregard(view) {
      for (const name of [`file ${target}`, `in the trash ${target}`]) {
        const file = records.ItemRecord.safeParse(view.get(name)).data
        if (file?.processing_state === 'processing') view.set(name, { ...file, processing_state: 'pending' })
      }
    },
  }

  function fill({ file }: z.output<typeof CompletedFile>): string {
    const item = there(ledger.items.get(there(target)))
    const { updated_at: _, ...before } = item.record
    const { size_bytes } = content
    requireMembers(file, { ...before, processing_state: 'ready', size_bytes })
    item.record = file
    item.content = content
    return file.id
  }

  function hold({ asset, version }: z.output<typeof CompletedAsset>): string {
    const known = ledger.assets.get(asset.id)
    requireMembers(version, { version: (known?.versions.length ?? 0) + 1, size_bytes: content.size_bytes })
    requireMembers(asset, { current_version: version.version, ...(target && { id: target }) })
    const versions = [...(known?.versions ?? []), { record: version, content }]
    ledger.assets.set(asset.id, { record: asset, versions, isDeleted: false })
    return asset.id
  }
}

export function abort({ ledger }: Party, upload: OpenUpload): Act {
  const { id, target } = upload
  return {
    kind: `abort ${upload.purpose}`,
    request: {
      intent: `abort ${id}`,
      about: [id, ...(target ? [target] : [])],
      method: 'DELETE',
      path: `/uploads/${id}`,
    },
    settle(answer, attempt) {
      if (isTooLate(upload, answer)) return
      required(answer, 204, attempt, 'UPLOAD_NOT_FOUND')
      ledger.forgetUpload(upload)
      if ('url' in upload.way) ledger.aborted.push(upload)
    },
  }
}

/** Whether an answer says that the upload's time is over, and is right. Then it goes when the job runs, or has gone. */
function isTooLate({ expires_at }: OpenUpload, answer: Answer): boolean {
  const code = codeOf(answer)
  return Date.now() / 1_000 >= expires_at && (code === 'UPLOAD_EXPIRED' || code === 'UPLOAD_NOT_FOUND')
}
