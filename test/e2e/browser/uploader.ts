/** The script of a page that uploads the file in its input with the client. */
import { createClient } from '#client'

interface Job {
  baseUrl: string
  token: string
  name: string
  /** The upload to go on with. */
  upload_id?: string
}

let started: string | undefined
let sent_bytes = 0

function content(): File {
  const file = document.querySelector('input')?.files?.[0]
  if (!file) throw new Error('The input has no file.')
  return file
}

/** Uploads, and returns the id of the file. */
async function upload({ baseUrl, token, name, upload_id }: Job): Promise<string> {
  const retry = { attempts: Number.POSITIVE_INFINITY, minDelayMs: 20, maxDelayMs: 200 }
  const client = createClient({ baseUrl, token, retry })
  const options = {
    onStarted: (upload: { id: string }) => {
      started = upload.id
    },
    onProgress: (progress: { sent_bytes: number }) => {
      sent_bytes = progress.sent_bytes
    },
  }
  const done = upload_id
    ? await client.files.upload({ content: content() }, { ...options, uploadId: upload_id })
    : await client.files.upload({ content: content(), name }, options)
  return done.id
}

/** The upload that is under way, and how much it has sent. */
function progress() {
  return { started, sent_bytes }
}

/** Where a file of the service differs from the one in the input, compared byte for byte; undefined when it is the same. */
async function differenceOf({ baseUrl, token, id }: { baseUrl: string; token: string; id: string }) {
  const response = await createClient({ baseUrl, token }).files.download({ id })
  const reader = response.body?.getReader()
  const file = content()
  let at = 0
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const own = new Uint8Array(await file.slice(at, at + read.value.length).arrayBuffer())
    if (own.length !== read.value.length) return `there are more than ${file.size} bytes`
    for (let index = 0; index < own.length; index++)
      if (own[index] !== read.value[index]) return `byte ${at + index} differs`
    at += own.length
  }
  return at === file.size ? undefined : `there are ${at} bytes, not ${file.size}`
}

/** Some bytes of a file of the service, downloaded as a range. */
async function bytesOf({
  baseUrl,
  token,
  id,
  ...range
}: {
  baseUrl: string
  token: string
  id: string
  start: number
  end: number
}) {
  const response = await createClient({ baseUrl, token }).files.download({ id }, { range })
  return { status: response.status, bytes: [...new Uint8Array(await response.arrayBuffer())] }
}

const acts = { upload, progress, differenceOf, bytesOf }
export type UploaderActs = typeof acts
Object.assign(globalThis, { acts })
