/** The main job, step by step, as a client does it. */
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import { z } from 'zod'
import { nothing, printFact, printStep, send, sendRefused, type User } from './demo-client.ts'
import { type Content, sha256 } from './demo-content.ts'
import { type Received, receiveContent, sendContent } from './demo-transfer.ts'

const Item = z.object({ id: z.string(), name: z.string(), size_bytes: z.int() })
const FileOf = Item.extend({ processing_state: z.string().nullable(), mime_type: z.string().nullable() })
const Page = z.object({ files: z.array(FileOf), next_cursor: z.string().nullable() })
const StartedUpload = z.object({
  id: z.string(),
  url: z.string(),
  url_expires_at: z.int(),
  headers: z.record(z.string(), z.string()),
  file: FileOf,
})
const Completed = z.object({ file: FileOf })
const WithAncestors = z.object({ file: FileOf, ancestors: z.array(z.object({ name: z.string() })) })
const SignedUrl = z.object({ url: z.string(), expires_at: z.int() })

/** Walks it once, as a fresh user who has nothing yet; nothing of theirs is left to see at the end. */
export async function walk(user: User, stranger: User, content: Content): Promise<void> {
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
  await sendContent(upload.url, upload.headers, content)

  printStep('Complete the upload')
  const { body: completed } = await send(user, 'POST', `/v1/uploads/${upload.id}/complete`, Completed)
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
  const got = await send(user, 'GET', `/v1/files/${file.id}`, WithAncestors)
  const breadcrumb = [...got.body.ancestors, got.body.file].map((item) => item.name).join(' / ')
  printFact('breadcrumb', breadcrumb)
  printFact('ETag', got.headers.get('ETag') ?? 'none')

  printStep('Ask for it as somebody else')
  await sendRefused(stranger, 'GET', `/v1/files/${file.id}`, 'FILE_NOT_FOUND')

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

  printStep('Delete the folder, and the file with it')
  await send(user, 'DELETE', `/v1/files/${folder.id}`, nothing)
  await sendRefused(user, 'GET', `/v1/files/${file.id}`, 'FILE_NOT_FOUND')
}

/** Compares what came back with what was sent. Equal lengths and SHA-256 are equal bytes. */
function expectSame(what: string, received: Received, size_bytes: number, digest: Buffer): void {
  printFact('SHA-256', received.sha256.toString('hex'))
  if (received.size_bytes !== size_bytes || !received.sha256.equals(digest))
    throw new Error(
      `${what} differs from what was sent: ${bytes(size_bytes)} with SHA-256 ${digest.toString('hex')}.`,
    )
  printFact('compared', `the same ${bytes(size_bytes)} that were sent`)
}

function bytes(count: number): string {
  return `${count.toLocaleString('en')} bytes`
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}
