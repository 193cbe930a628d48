/**
 * sender.ts ORIGIN TOKEN FILE [UPLOAD | '' KEY]: uploads a file, with an Idempotency-Key or without, or goes on with an upload of
 * it. Prints what it learns as JSON.
 */
import { openAsBlob } from 'node:fs'
import { createClient } from '#client'

const [baseUrl = '', token = '', path = '', upload_id, idempotencyKey] = process.argv.slice(2)
const client = createClient({ baseUrl, token, retry: { minDelayMs: 20, maxDelayMs: 200 } })
const content = await openAsBlob(path)
const onStarted = ({ id }: { id: string }) => console.log(JSON.stringify({ started: id }))
const given = { content, mime_type: 'application/octet-stream' }
const options = { parallel: 2, onStarted }
const done = upload_id
  ? await client.files.upload(given, { ...options, uploadId: upload_id })
  : await client.files.upload({ ...given, name: 'level.bin' }, { ...options, idempotencyKey })
console.log(JSON.stringify({ done }))
