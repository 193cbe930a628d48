import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { type AuditEntry, writeEntry } from '../../src/platform/db/audit.ts'
import { newId } from '../../src/platform/db/id.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'

it('the status of an act that an erasure meets brings neither the user nor the thing back into its entry', async () => {
  const [ada, mod] = [contextOf(newUserId()), contextOf(newUserId())]
  const { first } = mod.databases
  const entry: AuditEntry = {
    id: newId(mod.user_id),
    at: Math.floor(Date.now() / 1_000),
    actor: mod.user_id,
    scope: 'content:moderate',
    action: 'blockAsset',
    user_id: ada.user_id,
    resource: 'the-thing',
    reason: null,
    request_id: crypto.randomUUID(),
    status: null,
  }
  await writeEntry(first, entry)
  await eraseUser(ada, ada.user_id)
  await writeEntry(first, { ...entry, status: 204 })
  const row = await env.DB.prepare('SELECT user_id, resource, status FROM audit WHERE id = ?')
    .bind(entry.id)
    .first()
  expect(row).toEqual({ user_id: expect.not.stringContaining(ada.user_id), resource: null, status: 204 })
})
