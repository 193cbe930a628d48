/** The two kinds of requests that clients get signed URLs for: the PUT of an object, and the PUT of a part. */
import { createHash } from 'node:crypto'
import { partHeaders, putHeaders } from '../../src/features/uploads/signed-headers.ts'
import {
  type CopyGuard,
  type PartGuard,
  type PutGuard,
  partGuards,
  putGuards,
} from '../../src/platform/config/copy-guards.ts'
import { type Answer, type OpenUpload, type ProbeBucket, type Put, summaryOf } from './probe-bucket.ts'
import { Stopped } from './step.ts'

/** The outcome of a copy: R2's answer, and whether the new object has the content of the source. */
export interface Copy {
  answer: Answer
  isCopied: boolean
}

/** A kind of request that a client gets a signed URL for. */
export interface Subject<Guard extends CopyGuard> {
  name: string
  guards: readonly Guard[]
  /** All headers that the service signs for this content. */
  headers(content: string, guards: readonly CopyGuard[]): Record<string, string>
  /** Sends content. */
  send(put: Put): Promise<Answer>
  /** Sends a PUT that asks for a copy of the object with the content `secret`. */
  copy(put: Put, secret: string): Promise<Copy>
}

/** The PUT of a whole object. */
export function wholeObject(bucket: ProbeBucket): Subject<PutGuard> {
  return {
    name: 'the PUT of an object',
    guards: putGuards,
    headers: (content, guards) => objectHeaders(content, guards),
    send: async (put) => (await bucket.put(put)).answer,
    copy: async (put, secret) => {
      const { key, answer } = await bucket.put(put)
      return { answer, isCopied: (await bucket.read(key)).content === secret }
    },
  }
}

/** The PUT of a part. To read a part, its upload has to be completed, so the next part needs a new upload. */
export function partOfUpload(bucket: ProbeBucket): Subject<PartGuard> {
  let upload: OpenUpload | undefined
  let part_number = 0
  const sent = async (put: Put) => {
    upload ??= await started(bucket)
    part_number += 1
    return bucket.part(upload, part_number, put)
  }
  return {
    name: 'the PUT of a part',
    guards: partGuards,
    headers: (content, guards) => partHeaders(content.length, guards),
    send: sent,
    copy: async (put, secret) => {
      const answer = await sent(put)
      if (answer.status >= 300 || answer.etag === undefined || upload === undefined)
        return { answer, isCopied: false }
      const { key } = upload
      const joined = await bucket.complete(upload, part_number, answer.etag)
      upload = undefined
      // S3 may answer 200 to a completion that fails later, so only reading the object counts.
      const { content } = await bucket.read(key)
      if (content === undefined)
        throw new Stopped(`R2 took a part and did not join it: ${summaryOf(joined)}`, remedyFor(joined))
      return { answer, isCopied: content === secret }
    },
  }
}

async function started(bucket: ProbeBucket): Promise<OpenUpload> {
  const { answer, upload } = await bucket.startUpload()
  if (upload) return upload
  throw new Stopped(`R2 did not start an upload in parts: ${summaryOf(answer)}`, remedyFor(answer))
}

/** All headers that the service signs for the PUT of an object, on request with a declared checksum. */
export function objectHeaders(content: string, guards: readonly CopyGuard[], hasChecksum = false) {
  const checksum_sha256 = hasChecksum ? createHash('sha256').update(content).digest('base64') : null
  const upload = {
    id: crypto.randomUUID(),
    size_bytes: content.length,
    mime_type: 'text/plain',
    checksum_sha256,
  }
  return putHeaders(upload, 'probe.txt', guards)
}

/** The clock difference from which R2 refuses requests. URLs that the Worker signs are not affected. */
const CLOCK_MS = 300_000

/** Advice for the operator when R2 refuses a request that it has to accept. */
export function remedyFor({ status, code, ahead_ms }: Answer): string {
  const isClock =
    ['RequestTimeTooSkewed', 'ExpiredRequest'].includes(code ?? '') || Math.abs(ahead_ms) > CLOCK_MS
  if (isClock) {
    const minutes = Math.round(Math.abs(ahead_ms) / 60_000)
    return `The clock of this machine is wrong: R2's is ${minutes} minutes ${ahead_ms > 0 ? 'ahead' : 'behind'}. Set it, and run the command again.`
  }
  if (code === 'NoSuchBucket')
    return 'Does the bucket exist in this account and jurisdiction? npx wrangler r2 bucket list shows those outside of a jurisdiction.'
  if (status === 401 || status === 403)
    return 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY do not open this bucket. The R2 API token needs "Object Read & Write" for it; one that was just made may take a minute. If the environment has old keys, renew them there or take them out.'
  if (status === 501)
    return 'R2 does not implement a header that every upload has, so the service cannot work with it. Report the answer above as an issue.'
  return 'Report the answer above as an issue, or run the command again.'
}
