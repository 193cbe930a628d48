/** An operator sets a storage limit; an upload exceeds it until something is deleted permanently. */
import { randomUUID } from 'node:crypto'
import { Quota, StartedUpload } from './answers.ts'
import { bytes, nothing, printFact, printStep, send, sendRejected, type User } from './client.ts'
import { checksum, randomContent } from './content.ts'
import type { Stored } from './walk.ts'

/** How many bytes the limit leaves free: one more exceeds it. */
const ROOM_BYTES = 1_000

/** Fills the quota, exceeds it, deletes permanently, and uploads again. Deletes all of the user's items at the end. */
export async function fillAndFree(user: User, operator: User, { folder_id }: Stored): Promise<void> {
  printStep(`As an operator: set a limit with room for ${bytes(ROOM_BYTES)} more`)
  const quotaOfUser = `/v1/users/${user.id}/quota`
  const { body: before } = await send(operator, 'GET', quotaOfUser, Quota)
  const setLimit = (limit_bytes: number | null) =>
    send(operator, 'PUT', quotaOfUser, Quota, { json: { limit_bytes } })
  const { body: limited } = await setLimit(before.used_bytes + ROOM_BYTES)
  printFact('limit', `${bytes(limited.limit_bytes)}, was ${bytes(before.limit_bytes)}`)

  const size_bytes = ROOM_BYTES + 1
  printStep(`Start an upload of ${bytes(size_bytes)}, which no longer fits`)
  const content = randomContent('more.bin', size_bytes)
  const { name, mime_type } = content
  const upload = {
    json: { upload_type: 'file', name, size_bytes, mime_type, checksum_sha256: await checksum(content) },
    headers: { 'Idempotency-Key': randomUUID() },
  }
  await sendRejected(user, 'POST', '/v1/uploads', 'QUOTA_EXCEEDED', upload)
  await showQuota(user)

  printStep('Delete the folder again, and empty the trash: gone for good')
  await send(user, 'DELETE', `/v1/files/${folder_id}`, nothing)
  await send(user, 'DELETE', '/v1/trash', nothing)
  await showQuota(user)
  if (before.used_bytes === 0) {
    printFact('note', 'an empty file uses nothing, so the operator gives back the usual limit')
    await setLimit(null)
  }

  printStep('Start the same upload, which now fits, and abort it')
  const { body: started } = await send(user, 'POST', '/v1/uploads', StartedUpload, upload)
  await showQuota(user)
  await send(user, 'DELETE', `/v1/uploads/${started.id}`, nothing)
}

/** Prints a user's usage and limit. */
export async function showQuota(user: User): Promise<void> {
  const { body: quota } = await send(user, 'GET', '/v1/quota', Quota)
  printFact(
    'used',
    `${bytes(quota.used_bytes)} of ${quota.limit_bytes.toLocaleString('en')}: ${percent(quota)}`,
  )
}

function percent({ usage_percent }: { usage_percent: number }): string {
  return `${usage_percent.toLocaleString('en', { maximumFractionDigits: 2 })} %`
}
