import type { Operations } from '../operations.ts'
import { abortReason, withRetries } from '../retry.ts'
import type { SeekableContent } from './content.ts'
import { PartRequests } from './part-requests.ts'
import { isLost, type PutOptions, put } from './put.ts'

/** The `multipart` of an upload: the size and number of its parts, and the recorded ones. */
export interface Parts {
  part_size: number
  part_count: number
  uploaded?: { part_number: number; etag: string }[]
}

export interface SendOptions extends Omit<PutOptions, 'onSent'> {
  /** The milliseconds to wait after this many failures in a row; undefined to give up. A part that arrives resets the count. */
  delayOf: (failures: number) => number | undefined
  /** Called with the number of bytes sent so far, of all parts. */
  onSent: (bytes: number) => void
  /** How many parts are sent at a time. */
  parallel: number
}

/** The numbers of the parts that the service has not recorded. */
export function missingParts({ part_count, uploaded = [] }: Parts): number[] {
  const recorded = new Set(uploaded.map(({ part_number }) => part_number))
  return Array.from({ length: part_count }, (_, index) => index + 1).filter((number) => !recorded.has(number))
}

/**
 * Sends the parts with these numbers, several at a time, and records them. A part whose PUT fails is sent again. Returns the
 * numbers of the parts that were sent more than once.
 *
 * @throws StorageError, NetworkError, ServiceError
 */
export async function sendParts(
  operations: Operations,
  upload_id: string,
  { part_size }: Parts,
  numbers: readonly number[],
  content: SeekableContent,
  options: SendOptions,
): Promise<number[]> {
  const lengthOf = (part_number: number) => Math.min(part_size, content.size - (part_number - 1) * part_size)
  const missing = [...numbers]
  const lost = new Set<number>()
  const sent = new Map<number, number>()
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
  let arrived = 0

  async function sendPart(part_number: number): Promise<void> {
    const start = (part_number - 1) * part_size
    const length = lengthOf(part_number)
    let failures = 0
    let arrivedBefore = arrived
    const attempt = async () => {
      const target = await requests.urlOf(part_number)
      const piece = await content.slice(start, start + length)
      const onSent = (bytes: number) => tell(part_number, bytes)
      return put(target, piece, { ...options, onSent, signal: failed.signal })
    }
    const delayOf = (error: unknown) => {
      if (!isLost(error)) return undefined
      // The URL may have expired: storage can close the connection before its answer is read.
      requests.forgetUrl(part_number)
      lost.add(part_number)
      failures = arrived === arrivedBefore ? failures + 1 : 1
      arrivedBefore = arrived
      tell(part_number, 0)
      return options.delayOf(failures)
    }
    const etag = await withRetries(attempt, delayOf, failed.signal)
    arrived += 1
    tell(part_number, length)
    requests.record({ part_number, etag })
  }

  async function sendNext(): Promise<void> {
    for (let next = missing.shift(); next !== undefined; next = missing.shift()) await sendPart(next)
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
