/** An operator sets a storage limit; an upload exceeds it until something is deleted permanently. */
import { randomContent } from './content.ts'
import { bytes, printFact, printStep } from './print.ts'
import { printRefused, type User } from './user.ts'
import type { Stored } from './walk.ts'

/** How many bytes the limit leaves free. */
const ROOM_BYTES = 1_000

/** Fills the quota, exceeds it, deletes permanently, and uploads again. Deletes all of the user's items at the end. */
export async function fillAndFree(user: User, operator: User, { folder_id }: Stored): Promise<void> {
  const { client } = user
  printStep(`As an operator: set a limit with room for ${bytes(ROOM_BYTES)} more`)
  const before = await operator.studio.quota.get({ user_id: user.id })
  const setLimit = (limit_bytes: number | null) =>
    operator.studio.quota.set({ user_id: user.id, limit_bytes })
  const limited = await setLimit(before.used_bytes + ROOM_BYTES)
  printFact('limit', `${bytes(limited.limit_bytes)}, was ${bytes(before.limit_bytes)}`)

  const content = randomContent('more.bin', ROOM_BYTES + 1)
  printStep(`Upload ${bytes(content.size)}, which do not fit`)
  await printRefused('QUOTA_EXCEEDED', client.files.upload({ content }))
  await printQuota(user)

  printStep('Delete the folder again, and empty the trash: it is deleted permanently')
  await client.files.delete({ id: folder_id })
  await client.trash.empty()
  await printQuota(user)
  if (before.used_bytes === 0) {
    printFact('note', 'an empty file uses nothing, so the operator gives back the usual limit')
    await setLimit(null)
  }

  printStep('Upload the same, which now fits; then delete it permanently')
  const file = await client.files.upload({ content })
  await printQuota(user)
  await client.files.delete({ id: file.id })
  await client.trash.delete({ id: file.id })
}

/** Prints a user's usage and limit. */
export async function printQuota({ client }: User): Promise<void> {
  const { used_bytes, limit_bytes, usage_percent } = await client.quota.get()
  const percent = usage_percent.toLocaleString('en', { maximumFractionDigits: 2 })
  printFact('used', `${bytes(used_bytes)} of ${limit_bytes.toLocaleString('en')}: ${percent} %`)
}
