/** Deletion and its undoing, as a client does them. */
import { Page, WithAncestors } from './demo-answers.ts'
import { nothing, printFact, printStep, send, sendRefused, type User } from './demo-client.ts'
import { type Stored, showPlace } from './demo-walk.ts'

/** Deletes the folder, finds it in the trash, and restores it with the file in it. */
export async function deleteAndRestore(user: User, { folder_id, file_id }: Stored): Promise<void> {
  printStep('Delete the folder, and the file with it')
  await send(user, 'DELETE', `/v1/files/${folder_id}`, nothing)
  await sendRefused(user, 'GET', `/v1/files/${file_id}`, 'FILE_NOT_FOUND')

  printStep('List the trash: what was deleted, not each thing inside')
  const { body: trash } = await send(user, 'GET', '/v1/trash', Page)
  for (const deleted of trash.files) printFact('in the trash', `"${deleted.name}"`)

  printStep('Restore the folder')
  await send(user, 'POST', `/v1/trash/${folder_id}/restore`, WithAncestors.shape.file)
  await showPlace(user, file_id)
}
