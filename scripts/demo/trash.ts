/** Deleting and restoring. */
import { Page, WithAncestors } from './answers.ts'
import { nothing, printFact, printStep, send, sendRejected, type User } from './client.ts'
import { type Stored, showPlace } from './walk.ts'

/** Deletes the folder, finds it in the trash, and restores it with the file in it. */
export async function deleteAndRestore(user: User, { folder_id, file_id }: Stored): Promise<void> {
  printStep('Delete the folder, and the file with it')
  await send(user, 'DELETE', `/v1/files/${folder_id}`, nothing)
  await sendRejected(user, 'GET', `/v1/files/${file_id}`, 'FILE_NOT_FOUND')

  printStep('List the trash: what was deleted, not each thing inside')
  const { body: trash } = await send(user, 'GET', '/v1/trash', Page)
  for (const deleted of trash.files) printFact('in the trash', `"${deleted.name}"`)

  printStep('Restore the folder')
  await send(user, 'POST', `/v1/trash/${folder_id}/restore`, WithAncestors.shape.file)
  await showPlace(user, file_id)
}
