/** Checks of signed PUTs of whole objects: which storage accepts, and which it refuses. */
import { createHash } from 'node:crypto'
import type { Check } from './check.ts'
import { type Answer, bytes, checksumOf, type Deployment, send, tally } from './deployment.ts'
import { must } from './given.ts'

const SIZE = 4_000

const refused = ({ status }: Answer) => status >= 400

/** The bucket and the key in a signed URL. */
function placeIn(url: string): string {
  const [key = '', bucket = ''] = new URL(url).pathname.split('/').reverse()
  return `${bucket}/${key}`
}

/** Both spellings of a copy's source: R2 answers InvalidArgument to the one with a slash, and may copy the other. */
const spellings = (source: string) => [`/${source}`, source]

/** Sends a PUT with unsigned headers. Returns how the service rejected it: the PUT itself, or UPLOAD_MISMATCH at completion. */
async function sendUnsigned(deployment: Deployment, different: Record<string, string>): Promise<string> {
  const content = bytes(SIZE)
  const { id, put } = await deployment.startPut(content)
  const sent = await send(put, content, different)
  if (refused(sent)) return `PUT ${sent.status}`
  const completed = await deployment.complete(id)
  return must(
    completed.text.includes('UPLOAD_MISMATCH'),
    `PUT ${sent.status}, completion ${completed.status} ${completed.text.slice(0, 200)}`,
  ).slice(0, 60)
}

export const puts: Check[] = [
  {
    name: 'signed-headers',
    does: 'PUTs without each of the signed headers, and one of another length',
    must: '403 each time, then 200 for the PUT as it was signed',
    run: async (deployment) => {
      const content = bytes(SIZE)
      const { put } = await deployment.startPut(content)
      const names = Object.keys(put.headers).filter((name) => name.toLowerCase() !== 'content-length')
      const answers: string[] = []
      for (const name of names)
        answers.push(`without ${name} ${(await send(put, content, { [name]: null })).status}`)
      answers.push(`another length ${(await send(put, bytes(SIZE + 1))).status}`)
      const last = await send(put, content)
      const came = `${answers.join(', ')}; as signed ${last.status}`
      return must(answers.every((one) => one.endsWith(' 403')) && last.status === 200, came)
    },
  },
  {
    name: 'created-once',
    does: 'ten PUTs of one URL at once, then another',
    must: 'one 200, 412 for the rest',
    run: async (deployment) => {
      const content = bytes(SIZE)
      const { put } = await deployment.startPut(content)
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(put, content)))
      const [last] = [await send(put, content)]
      const came = `${tally(answers)}; later ${last.status}`
      return must(tally(answers) === '200 × 1, 412 × 9' && last.status === 412, came)
    },
  },
  {
    name: 'no-copies',
    does: 'the signed PUT as a copy of another object, in both spellings, before and after its own content was sent',
    must: '4xx or 5xx for each copy, 200 for the plain PUT. If a copy passes, do not go live',
    onPlatform: 'whether R2 takes x-amz-copy-source that was not signed',
    run: async (deployment) => {
      const source = placeIn(await deployment.urlOf(await deployment.file(bytes(SIZE))))
      const content = bytes(SIZE)
      const { id, put } = await deployment.startPut(content)
      const copies: Answer[] = []
      const copy = async () => {
        for (const name of spellings(source))
          copies.push(await send(put, content, { 'x-amz-copy-source': name }))
      }
      await copy()
      const plain = await send(put, content)
      await copy()
      const completed = await deployment.complete(id)
      await copy()
      const came = `copies ${tally(copies)}; plain ${plain.status}; completion ${completed.status}`
      return must(copies.every(refused) && plain.status === 200 && completed.status === 200, came)
    },
  },
  {
    name: 'storage-class-and-keys',
    does: 'PUTs with a storage class, and with a key of one’s own (SSE-C), which were not signed',
    must: 'refused, or UPLOAD_MISMATCH at completion',
    notHere: 'the simulator takes keys of one’s own and has no storage classes',
    run: async (deployment) => {
      const key = bytes(32)
      const customer = 'x-amz-server-side-encryption-customer'
      const md5 = createHash('md5').update(key).digest('base64')
      const foreign: Record<string, string>[] = [
        { 'x-amz-storage-class': 'STANDARD_IA' },
        {
          [`${customer}-algorithm`]: 'AES256',
          [`${customer}-key`]: Buffer.from(key).toString('base64'),
          [`${customer}-key-md5`]: md5,
        },
      ]
      const came: string[] = []
      for (const headers of foreign)
        came.push(`${Object.keys(headers)[0]}: ${await sendUnsigned(deployment, headers)}`)
      return came.join('; ')
    },
  },
  {
    name: 'foreign-metadata',
    does: 'PUTs with Content-Encoding, Cache-Control or metadata that were not signed',
    must: 'refused, or UPLOAD_MISMATCH at completion',
    run: async (deployment) => {
      const came: string[] = []
      for (const [name, value] of [
        ['Content-Encoding', 'gzip'],
        ['Cache-Control', 'public'],
        ['x-amz-meta-other', 'x'],
      ] as const)
        came.push(`${name}: ${await sendUnsigned(deployment, { [name]: value })}`)
      return came.join('; ')
    },
  },
  {
    name: 'wrong-checksum',
    does: 'a PUT of other bytes than those whose SHA-256 was declared',
    must: 'R2 refuses the PUT',
    onPlatform:
      'whether R2 refuses the PUT: the simulator ignores the checksum, and the completion refuses the content',
    run: async (deployment) => {
      const { id, put } = await deployment.startPut(bytes(SIZE), { checksum_sha256: checksumOf(bytes(SIZE)) })
      const sent = await send(put, bytes(SIZE))
      if (!deployment.isLocal) return must(refused(sent), `PUT ${sent.status}`)
      const completed = await deployment.complete(id)
      return must(
        completed.text.includes('UPLOAD_MISMATCH'),
        `PUT ${sent.status}, completion ${completed.status}`,
      )
    },
  },
  {
    name: 'downloads',
    does: 'downloads a file, a range of it, and an empty file',
    must: 'the bytes; 206 with Content-Range; 200 without bytes',
    run: async (deployment) => {
      const content = bytes(SIZE)
      const url = await deployment.urlOf(await deployment.file(content))
      const whole = new Uint8Array(await (await fetch(url)).arrayBuffer())
      const range = await fetch(url, { headers: { Range: 'bytes=1000-1999' } })
      const part = new Uint8Array(await range.arrayBuffer())
      const empty = await fetch(await deployment.urlOf(await deployment.file(bytes(0))))
      const nothing = await empty.arrayBuffer()
      const came = `${whole.length} bytes; ${range.status} ${range.headers.get('Content-Range')}; ${empty.status} with ${nothing.byteLength} bytes`
      const isRight =
        checksumOf(whole) === checksumOf(content) &&
        checksumOf(part) === checksumOf(content.subarray(1_000, 2_000))
      return must(isRight && came.endsWith(`206 bytes 1000-1999/${SIZE}; 200 with 0 bytes`), came)
    },
  },
  {
    name: 'renamed-download',
    does: 'renames a file, and downloads it',
    must: 'Content-Disposition has the new name',
    onPlatform: 'the new name: the simulator answers with that of the upload',
    run: async (deployment) => {
      const id = await deployment.file(bytes(SIZE))
      const name = `renamed-${crypto.randomUUID()}.bin`
      await deployment.need(200, `/v1/files/${id}`, { method: 'PATCH', body: JSON.stringify({ name }) })
      const answer = await fetch(await deployment.urlOf(id))
      const came = `${answer.status}, ${answer.headers.get('Content-Disposition')}`
      await answer.arrayBuffer()
      return must(answer.status === 200 && (deployment.isLocal || came.includes(name)), came)
    },
  },
  {
    name: 'bucket-cors',
    does: 'preflights of a signed PUT, from an origin that the settings allow and from another',
    must: 'the first may send all signed headers, and read ETag from the answer; the second may not',
    notHere: 'the simulator’s bucket has no CORS rules of its own',
    needs: ['STAGING_ORIGIN'],
    run: async (deployment) => {
      const content = bytes(SIZE)
      const { put } = await deployment.startPut(content)
      const own = deployment.given('STAGING_ORIGIN')
      const asked = Object.keys(put.headers).filter((name) => name.toLowerCase() !== 'content-length')
      const preflight = (Origin: string) =>
        fetch(put.url, {
          method: 'OPTIONS',
          headers: {
            Origin,
            'Access-Control-Request-Method': 'PUT',
            'Access-Control-Request-Headers': asked.map((name) => name.toLowerCase()).join(','),
          },
        })
      const [allowed, foreign] = [await preflight(own), await preflight('https://elsewhere.example')]
      const sent = await send(put, content, { Origin: own })
      const exposed = sent.headers.get('Access-Control-Expose-Headers') ?? ''
      const grant = (answer: Response) => answer.headers.get('Access-Control-Allow-Origin')
      const came = `${own}: ${grant(allowed)}, exposed ${exposed}; another: ${grant(foreign)}`
      const isRight = [own, '*'].includes(grant(allowed) ?? '') && grant(foreign) === null
      return must(isRight && /etag/i.test(exposed), came)
    },
  },
]
