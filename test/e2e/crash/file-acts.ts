import { z } from '@hono/zod-openapi'
import { type Act, keyed, type Party, required, requireMembers, there } from './act.ts'
import type { Item } from './ledger.ts'
import { ItemRecord, Share } from './records.ts'

const Found = z.object({ file: ItemRecord })

/** Acts on files, the trash and shares. */

export function createFolder({ ledger, word }: Party, parent_id: string | null): Act {
  const name = `folder ${word()}`
  return {
    kind: 'create a folder',
    request: {
      intent: `create "${name}" in ${parent_id ?? 'the root'}`,
      about: [name],
      method: 'POST',
      path: '/files',
      json: { name, asset_type: 'folder', parent_id },
      headers: keyed(name),
    },
    settle(answer, attempt) {
      required(answer, 201, attempt)
      const record = ItemRecord.parse(answer.body)
      requireMembers(record, { name, parent_id, asset_type: 'folder' })
      ledger.items.set(record.id, {
        record: { ...record, mime_type: null, processing_state: null },
        isTrashed: false,
      })
    },
  }
}

/** Renames an item, moves it, or shows it. */
export function changeItem(
  { ledger }: Party,
  { record: { id } }: Item,
  change: { name: string } | { parent_id: string | null } | { is_public: boolean },
): Act {
  return {
    kind: 'parent_id' in change ? 'move' : 'change an item',
    request: {
      intent: `give ${id} ${JSON.stringify(change)}`,
      about: [id],
      method: 'PATCH',
      path: `/files/${id}`,
      json: change,
    },
    settle(answer, attempt) {
      required(answer, 200, attempt)
      const item = there(ledger.items.get(id))
      const { updated_at: _, ...before } = item.record
      item.record = { ...item.record, ...ItemRecord.parse(answer.body) }
      requireMembers(item.record, { ...before, ...change })
    },
  }
}

export function deleteItem({ ledger }: Party, { record: { id } }: Item): Act {
  return {
    kind: 'delete',
    request: { intent: `delete ${id}`, about: [id], method: 'DELETE', path: `/files/${id}` },
    settle(answer, attempt) {
      required(answer, 204, attempt, 'FILE_NOT_FOUND')
      there(ledger.items.get(id)).isTrashed = true
    },
  }
}

export function restoreItem({ ledger, wire }: Party, { record: { id, parent_id } }: Item): Act {
  return {
    kind: 'restore',
    request: { intent: `restore ${id}`, about: [id], method: 'POST', path: `/trash/${id}/restore` },
    async settle(answer, attempt) {
      const outcome = required(answer, 200, attempt, 'FILE_NOT_TRASHED')
      const item = there(ledger.items.get(id))
      const { updated_at: _, ...before } = item.record
      item.record =
        outcome === 'done' ? ItemRecord.parse(answer.body) : (await wire.see(Found, `/files/${id}`)).file
      item.isTrashed = false
      const place = parent_id !== null && ledger.isLive(parent_id) ? parent_id : null
      requireMembers(item.record, { ...before, parent_id: place })
    },
  }
}

/** Deletes one thing in the trash for good. */
export function purgeItem({ ledger }: Party, { record: { id } }: Item): Act {
  return {
    kind: 'purge',
    request: { intent: `purge ${id}`, about: [id], method: 'DELETE', path: `/trash/${id}` },
    settle(answer, attempt) {
      required(answer, 204, attempt, 'FILE_NOT_FOUND')
      ledger.owing(Date.now(), () => ledger.purge(id))
    },
  }
}

export function emptyTrash({ ledger }: Party): Act {
  const trashed = [...ledger.items.values()].filter(({ isTrashed }) => isTrashed)
  const about = trashed.map(({ record }) => record.id)
  return {
    kind: 'empty the trash',
    request: { intent: `empty the trash of ${about.length}`, about, method: 'DELETE', path: '/trash' },
    settle(answer, attempt) {
      required(answer, 204, attempt)
      ledger.owing(Date.now(), () => {
        for (const id of about) ledger.purge(id)
      })
    },
  }
}

/** Shares a file, or changes how it is shared: there is one share a file and grantee. */
export function share({ ledger, word }: Party, { record: { id } }: Item, grantee_id: string): Act {
  const earlier = [...ledger.shares.values()].find(
    (known) => known.file_id === id && known.grantee_id === grantee_id,
  )
  const terms = {
    permission: earlier ? 'edit' : 'view',
    expires_at: earlier ? Math.floor(Date.now() / 1_000) + 86_400 : null,
  }
  return {
    kind: 'share',
    request: {
      intent: `share ${id} with ${grantee_id}`,
      about: [id],
      method: 'POST',
      path: `/files/${id}/shares`,
      json: { grantee_id, ...terms },
      headers: keyed(word()),
    },
    settle(answer, attempt) {
      required(answer, 201, attempt)
      const made = Share.parse(answer.body)
      requireMembers(made, { file_id: id, grantee_id, ...terms, ...(earlier && { id: earlier.id }) })
      ledger.shares.set(made.id, made)
    },
  }
}

export function revoke({ ledger }: Party, { id, file_id }: Share): Act {
  return {
    kind: 'revoke',
    request: {
      intent: `revoke ${id} of ${file_id}`,
      about: [id, file_id],
      method: 'DELETE',
      path: `/shares/${id}`,
    },
    settle(answer, attempt) {
      required(answer, 204, attempt, 'SHARE_NOT_FOUND')
      ledger.shares.delete(id)
    },
  }
}
