import { ContentChangedError } from '../errors.ts'
import type { Operations } from '../operations.ts'
import { abortReason, withRetries } from '../retry.ts'
import { checksumOf, type Source } from './content.ts'
import { PartRequests, type UploadedPart } from './part-requests.ts'
import { isLost, type PutOptions, put } from './put.ts'

/** The `multipart` of an upload: the size and number of its parts, and the recorded ones. */
export interface Parts {
  part_size: number
  part_count: number
  uploaded?: UploadedPart[]
}

export interface SendOptions extends Omit<PutOptions, 'onSent'> {
  /** The milliseconds to wait after this many failures in a row; undefined to give up. A part that arrives resets the count. */
  delayOf: (failures: number) => number | undefined
  /** Called with the number of bytes sent so far, of all parts. */
  onSent: (bytes: number) => void
  /** How many parts are sent at a time. */
  parallel: number
}

/** The numbers of all parts. */
export function allParts({ part_count }: Parts): number[] {
  return Array.from({ length: part_count }, (_, index) => index + 1)
}

/**
 * Sends the parts with these numbers, several at a time, records them, and adds them to `arrived`. A part whose PUT fails is sent
 * again. A part that is among those `uploaded` is sent only if its bytes differ, or nothing says which bytes it has. Returns the
 * numbers of the parts that were sent more than once.
 *
 * @throws StorageError, NetworkError, ServiceError, ContentChangedError
 */
export async function sendParts(
  operations: Operations,
  upload_id: string,
  { part_size, uploaded = [] }: Parts,
  numbers: readonly number[],
  content: Source,
  arrived: Map<number, UploadedPart>,
  options: SendOptions,
): Promise<number[]> {
  const rangeOf = (part_number: number) => {
    const start = (part_number - 1) * part_size
    return [start, Math.min(start + part_size, content.size)] as const
  }
  const lengthOf = (part_number: number) => {
    const [start, end] = rangeOf(part_number)
    return end - start
  }
  const known = new Map(
    uploaded.filter((part) => part.checksum_sha256 !== undefined).map((part) => [part.part_number, part]),
  )
  const missing = numbers.filter((part_number) => !known.has(part_number))
  const compared = numbers.filter((part_number) => known.has(part_number))
  const lost = new Set<number>()
  const sent = new Map(compared.map((part_number) => [part_number, lengthOf(part_number)]))
  let sum = missing.reduce((total, part_number) => total - lengthOf(part_number), content.size)
  const tell = (part_number: number, bytes: number) => {
    sum += bytes - (sent.get(part_number) ?? 0)
    sent.set(part_number, bytes)
    options.onSent(sum)
  }

  const failed = new AbortController() // a part that fails for good aborts the others
  const abort = () => failed.abort(options.signal.reason)
  options.signal.addEventListener('abort', abort)
  const requests = new PartRequests(operations, upload_id, missing, failed.signal)
  let count = 0

  async function sendPart(part_number: number): Promise<void> {
    const range = rangeOf(part_number)
    const checksum_sha256 = await checksumOf(content, failed.signal, ...range)
    const before = known.get(part_number)
    const already = arrived.get(part_number)?.checksum_sha256
    if (already !== undefined && already !== checksum_sha256) throw new ContentChangedError()
    if (before && before.checksum_sha256 === checksum_sha256) {
      arrived.set(part_number, before)
      return
    }
    let failures = 0
    let countBefore = count
    const attempt = async () => {
      const target = await requests.urlOf(part_number)
      const onSent = (bytes: number) => tell(part_number, bytes)
      return put(target, content, range, { ...options, onSent, signal: failed.signal })
    }
    const delayOf = (error: unknown) => {
      if (!isLost(error)) return undefined
      // The URL may have expired: storage can close the connection before its answer is read.
      requests.forgetUrl(part_number)
      lost.add(part_number)
      failures = count === countBefore ? failures + 1 : 1
      countBefore = count
      tell(part_number, 0)
      return options.delayOf(failures)
    }
    const etag = await withRetries(attempt, delayOf, failed.signal)
    const part = { part_number, etag, ...(checksum_sha256 !== undefined && { checksum_sha256 }) }
    arrived.set(part_number, part)
    count += 1
    tell(part_number, lengthOf(part_number))
    requests.record(part)
  }

  const next = () => missing.shift() ?? compared.shift()
  async function sendNext(): Promise<void> {
    for (let number = next(); number !== undefined; number = next()) await sendPart(number)
  }

  try {
    if (options.signal.aborted) throw abortReason(options.signal)
    options.onSent(sum)
    await Promise.race([requests.failure, Promise.all(Array.from({ length: options.parallel }, sendNext))])
    await requests.finish()
    return [...lost]
  } finally {
    requests.close()
    failed.abort()
    options.signal.removeEventListener('abort', abort)
  }
}
