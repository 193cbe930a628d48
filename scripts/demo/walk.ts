/** Storing, finding and downloading a file, step by step. */
import { extname } from 'node:path'
import { type Content, type Received, receive, requireSame, sha256 } from './content.ts'
import { bytes, printFact, printStep } from './print.ts'
import { withProgress } from './progress.ts'
import { printRefused, type User } from './user.ts'

/** A folder with a file, and the file's content. */
export interface Stored {
  folder_id: string
  file_id: string
  content: Content
  sha256: Buffer
}

/** Stores a file as a new user. The folder and the file exist at the end. */
export async function walk({ client }: User, stranger: User, content: Content): Promise<Stored> {
  const digest = await sha256(content)

  printStep('Create a folder')
  const folder = await client.files.createFolder({ name: 'Maps' })
  printFact('folder', `"${folder.name}", ${folder.id}`)

  printStep('Upload a file into it: start, send the content to the signed URL, complete')
  const file = await withProgress(content.size, (onProgress) =>
    client.files.upload({ content, parent_id: folder.id }, { onProgress }),
  )
  printFact('file', `"${file.name}", ${file.processing_state}, ${bytes(file.size_bytes)}, ${file.mime_type}`)

  printStep('List the folder')
  for await (const listed of client.files.list({ parent_id: folder.id }))
    printFact('file', `"${listed.name}", ${bytes(listed.size_bytes)}`)

  printStep('Rename the file')
  const renamed = await client.files.edit({ id: file.id, name: `renamed${extname(content.name)}` })
  printFact('file', `"${renamed.name}"`)

  printStep('Get the file with the folders above it')
  await printPlace({ client }, file.id)

  printStep('Get it as another player')
  await printRefused('FILE_NOT_FOUND', stranger.client.files.get({ id: file.id }))

  printStep('Download the content: get a signed URL, and fetch it')
  const whole = await receive(await client.files.download({ id: file.id }))
  printFact('type', whole.headers.get('Content-Type') ?? 'none')
  printFact('disposition', whole.headers.get('Content-Disposition') ?? 'none')
  printSame(whole, content.size, digest)

  if (content.size > 0) {
    printStep('Download a range of it')
    const start = Math.floor(content.size / 2)
    const end = Math.min(start + 1_000, content.size)
    const part = await receive(await client.files.download({ id: file.id }, { range: { start, end } }))
    printFact('range', part.headers.get('Content-Range') ?? 'none')
    printSame(part, end - start, await sha256(content, start, end))
  }

  return { folder_id: folder.id, file_id: file.id, content, sha256: digest }
}

/** Prints a file's path: the folders above it, and its name. */
export async function printPlace({ client }: Pick<User, 'client'>, file_id: string): Promise<void> {
  const { file, ancestors, etag } = await client.files.get({ id: file_id })
  printFact('path', [...ancestors, file].map(({ name }) => name).join(' / '))
  printFact('ETag', etag)
}

/** Requires that a download equals the sent content, and prints that it does. */
export function printSame(received: Received, size_bytes: number, digest: Buffer): void {
  printFact('SHA-256', received.sha256.toString('hex'))
  requireSame(received, size_bytes, digest)
  printFact('compared', `the same ${bytes(size_bytes)} that were sent`)
}
