/** Storing, finding and downloading a file, step by step. */
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import { CompletedUpload, Item, Page, SignedUrl, StartedUpload, WithAncestors } from './answers.ts'
import { bytes, clock, printFact, printStep, send, sendRejected, type User } from './client.ts'
import { type Content, sha256 } from './content.ts'
import { expectSame, receiveContent, sendContent } from './transfer.ts'

/** A folder with a file, and the file's content. */
export interface Stored {
  folder_id: string
  file_id: string
  content: Content
  sha256: Buffer
}

/** Runs the steps as a new user. The folder and the file exist at the end. */
export async function walk(user: User, stranger: User, content: Content): Promise<Stored> {
  const digest = await sha256(content.read())

  printStep('Create a folder')
  const { body: folder } = await send(user, 'POST', '/v1/files', Item, {
    json: { name: 'Maps', asset_type: 'folder' },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  printFact('folder', `"${folder.name}", ${folder.id}`)

  printStep('Start an upload into it')
  const { body: upload } = await send(user, 'POST', '/v1/uploads', StartedUpload, {
    json: {
      upload_type: 'file',
      name: content.name,
      parent_id: folder.id,
      size_bytes: content.size_bytes,
      mime_type: content.mime_type,
      checksum_sha256: digest.toString('base64'),
    },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  const { file } = upload
  printFact('upload', upload.id)
  printFact('file', `"${file.name}", ${file.id}, ${file.processing_state}`)
  printFact('signed', `${Object.keys(upload.headers).join(', ')}; until ${clock(upload.url_expires_at)}`)

  printStep('Send the content to the signed URL')
  await sendContent(upload, content)

  printStep('Complete the upload')
  const { body: completed } = await send(user, 'POST', `/v1/uploads/${upload.id}/complete`, CompletedUpload)
  const { name, processing_state, size_bytes, mime_type } = completed.file
  printFact('file', `"${name}", ${processing_state}, ${bytes(size_bytes)}, ${mime_type}`)

  printStep('List the folder')
  const { body: page } = await send(user, 'GET', `/v1/files?parent_id=${folder.id}`, Page)
  for (const listed of page.files) printFact('file', `"${listed.name}", ${bytes(listed.size_bytes)}`)

  printStep('Rename the file')
  const { body: renamed } = await send(user, 'PATCH', `/v1/files/${file.id}`, Item, {
    json: { name: `renamed${extname(content.name)}` },
  })
  printFact('file', `"${renamed.name}"`)

  printStep('Get the file with the folders above it')
  await showPlace(user, file.id)

  printStep('Ask for it as somebody else')
  await sendRejected(stranger, 'GET', `/v1/files/${file.id}`, 'FILE_NOT_FOUND')

  printStep('Get a download URL')
  const { body: download } = await send(user, 'GET', `/v1/files/${file.id}/url`, SignedUrl)
  printFact('signed', `until ${clock(download.expires_at)}`)

  printStep('Download the content')
  const whole = await receiveContent(download.url)
  printFact('type', whole.headers['content-type'] ?? 'none')
  printFact('disposition', whole.headers['content-disposition'] ?? 'none')
  expectSame('The download', whole, content.size_bytes, digest)

  if (content.size_bytes > 0) {
    printStep('Download a range of it')
    const start = Math.floor(content.size_bytes / 2)
    const end = Math.min(start + 1_000, content.size_bytes)
    const part = await receiveContent(download.url, { Range: `bytes=${start}-${end - 1}` })
    printFact('range', part.headers['content-range'] ?? 'none')
    expectSame('The range', part, end - start, await sha256(content.read(start, end)))
  }

  return { folder_id: folder.id, file_id: file.id, content, sha256: digest }
}

/** A file's path: the folders above it, and its name. */
export async function showPlace(user: User, file_id: string): Promise<void> {
  const { headers, body } = await send(user, 'GET', `/v1/files/${file_id}`, WithAncestors)
  printFact('breadcrumb', [...body.ancestors, body.file].map((item) => item.name).join(' / '))
  printFact('ETag', headers.get('ETag') ?? 'none')
}
