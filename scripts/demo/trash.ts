/** Deleting and restoring. */
import { printFact, printStep } from './print.ts'
import { printRefused, type User } from './user.ts'
import { printPlace, type Stored } from './walk.ts'

/** Deletes the folder, finds it in the trash, and restores it with the file in it. */
export async function deleteAndRestore({ client }: User, { folder_id, file_id }: Stored): Promise<void> {
  printStep('Delete the folder, and the file with it')
  await client.files.delete({ id: folder_id })
  await printRefused('FILE_NOT_FOUND', client.files.get({ id: file_id }))

  printStep('List the trash: what was deleted, not each thing inside')
  for await (const deleted of client.trash.list()) printFact('in the trash', `"${deleted.name}"`)

  printStep('Restore the folder')
  await client.trash.restore({ id: folder_id })
  await printPlace({ client }, file_id)
}
