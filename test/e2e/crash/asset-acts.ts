import { z } from '@hono/zod-openapi'
import { type Act, keyed, type Party, required, requireMembers, there } from './act.ts'
import type { Content } from './content.ts'
import type { Asset } from './ledger.ts'
import * as records from './records.ts'

const Branch = z.object({ asset: records.Asset, version: records.Version })

export function createAsset({ ledger, word }: Party): Act {
  const json = { name: `asset ${word()}`, type: 'prop', visibility: 'private' }
  return {
    kind: 'create an asset',
    request: {
      intent: `create asset "${json.name}"`,
      about: [json.name],
      method: 'POST',
      path: '/game/assets',
      json,
      headers: keyed(json.name),
    },
    settle(answer, attempt) {
      required(answer, 201, attempt)
      const record = records.Asset.parse(answer.body)
      requireMembers(record, { ...json, current_version: 0 })
      ledger.assets.set(record.id, { record, versions: [], isDeleted: false })
    },
  }
}

/** Renames an asset, and shows it to everybody or to nobody. */
export function editAsset({ ledger, word }: Party, { record: { id, visibility } }: Asset): Act {
  const change = { name: `asset ${word()}`, visibility: visibility === 'public' ? 'private' : 'public' }
  return {
    kind: 'change an asset',
    request: {
      intent: `give asset ${id} ${JSON.stringify(change)}`,
      about: [id],
      method: 'PUT',
      path: `/game/assets/${id}`,
      json: change,
    },
    settle(answer, attempt) {
      required(answer, 200, attempt)
      const asset = there(ledger.assets.get(id))
      const { updated_at: _, ...before } = asset.record
      asset.record = records.Asset.parse(answer.body)
      requireMembers(asset.record, { ...before, ...change })
    },
  }
}

export function deleteAsset({ ledger }: Party, { record: { id } }: Asset): Act {
  return {
    kind: 'delete an asset',
    request: { intent: `delete asset ${id}`, about: [id], method: 'DELETE', path: `/game/assets/${id}` },
    settle(answer, attempt) {
      required(answer, 204, attempt, 'ASSET_NOT_FOUND')
      there(ledger.assets.get(id)).isDeleted = true
    },
  }
}

export function restoreAsset({ ledger }: Party, { record: { id } }: Asset): Act {
  return {
    kind: 'restore an asset',
    request: {
      intent: `restore asset ${id}`,
      about: [id],
      method: 'POST',
      path: `/game/assets/${id}/restore`,
    },
    settle(answer, attempt) {
      required(answer, 200, attempt)
      const asset = there(ledger.assets.get(id))
      requireMembers(records.Asset.parse(answer.body), asset.record)
      asset.isDeleted = false
    },
  }
}

/** Deletes an asset for good, deleted before or not. */
export function purgeAsset({ ledger }: Party, { record: { id } }: Asset): Act {
  return {
    kind: 'purge an asset',
    request: {
      intent: `delete asset ${id} for good`,
      about: [id],
      method: 'DELETE',
      path: `/game/assets/${id}?permanent=true`,
    },
    settle(answer, attempt) {
      required(answer, 204, attempt, 'ASSET_NOT_FOUND')
      ledger.owing(Date.now(), () => ledger.purgeAsset(id))
    },
  }
}

/** A version of somebody's asset that is known to hold this content. */
export interface Source {
  asset_id: string
  version: number
  content: Content
  isOwn: boolean
}

/** Branches a version. Somebody else's asset may be hidden or deleted meanwhile. */
export function branch({ ledger, word }: Party, { asset_id, version, content, isOwn }: Source): Act {
  const name = `branch ${word()}`
  return {
    kind: 'branch',
    request: {
      intent: `branch version ${version} of ${asset_id} as "${name}"`,
      about: [asset_id, name],
      method: 'POST',
      path: `/game/assets/${asset_id}/branch`,
      json: { name, from_version: version },
      headers: keyed(name),
    },
    settle(answer, attempt) {
      if (answer.status === 404 && !isOwn) return
      required(answer, 201, attempt)
      const { asset, version: first } = Branch.parse(answer.body)
      requireMembers(asset, { name, visibility: 'private', current_version: 1 })
      requireMembers(first, {
        version: 1,
        size_bytes: content.size_bytes,
        branched_from_asset_id: asset_id,
        branched_from_version: version,
      })
      ledger.assets.set(asset.id, { record: asset, versions: [{ record: first, content }], isDeleted: false })
    },
  }
}

/** Makes an old version of one's own asset the newest. */
export function rollBack({ ledger, word }: Party, { asset_id, version, content }: Source): Act {
  return {
    kind: 'roll back',
    request: {
      intent: `roll ${asset_id} back to version ${version}`,
      about: [asset_id],
      method: 'POST',
      path: `/game/assets/${asset_id}/versions`,
      json: { from_version: version },
      headers: keyed(word()),
    },
    settle(answer, attempt) {
      required(answer, 201, attempt)
      const asset = there(ledger.assets.get(asset_id))
      const record = records.Version.parse(answer.body)
      const current_version = asset.versions.length + 1
      requireMembers(record, { asset_id, version: current_version, size_bytes: content.size_bytes })
      asset.versions.push({ record, content })
      asset.record = { ...asset.record, current_version, updated_at: record.created_at }
    },
  }
}
