import type { Operations } from '../operations.ts'
import { abortReason, withRetries } from '../retry.ts'
import type { SeekableContent } from './content.ts'
import { PartDesk } from './part-desk.ts'
import { isLost, type PutOptions, put } from './put.ts'

/** The parts of an upload, as the service cut them. */
export interface Parts {
  part_size: number
  part_count: number
  uploaded?: { part_number: number; etag: string }[]
}

export interface SendOptions extends Omit<PutOptions, 'onSent'> {
  /** The delay after so many failures without a part that arrived in between; undefined when these were enough. */
  delayOf: (failures: number) => number | undefined
  /** Told how many bytes have arrived or are on their way. */
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
 * Sends the parts with these numbers, several at a time, and has them recorded. A part that is lost is sent again. Returns
 * the numbers of those that were lost.
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

  const failed = new AbortController() // when one part fails for good, the others end too
  const abort = () => failed.abort(options.signal.reason)
  options.signal.addEventListener('abort', abort)
  const desk = new PartDesk(operations, upload_id, missing, failed.signal)
  let arrived = 0

  async function sendPart(part_number: number): Promise<void> {
    const start = (part_number - 1) * part_size
    const length = lengthOf(part_number)
    let failures = 0
    let arrivedBefore = arrived
    const attempt = async () => {
      const target = await desk.urlOf(part_number)
      const piece = await content.slice(start, start + length)
      const onSent = (bytes: number) => tell(part_number, bytes)
      return put(target, piece, { ...options, onSent, signal: failed.signal })
    }
    const delayOf = (error: unknown) => {
      if (!isLost(error)) return undefined
      desk.forgetUrl(part_number) // storage may have closed the connection before it was heard to refuse the URL
      lost.add(part_number)
      failures = arrived === arrivedBefore ? failures + 1 : 1
      arrivedBefore = arrived
      tell(part_number, 0)
      return options.delayOf(failures)
    }
    const etag = await withRetries(attempt, delayOf, failed.signal)
    arrived += 1
    tell(part_number, length)
    desk.record({ part_number, etag })
  }

  async function sendNext(): Promise<void> {
    for (let next = missing.shift(); next !== undefined; next = missing.shift()) await sendPart(next)
  }

  try {
    if (options.signal.aborted) throw abortReason(options.signal)
    options.onSent(sum)
    await Promise.race([desk.failure, Promise.all(Array.from({ length: options.parallel }, sendNext))])
    await desk.finish()
    return [...lost]
  } finally {
    desk.close()
    failed.abort()
    options.signal.removeEventListener('abort', abort)
  }
}
