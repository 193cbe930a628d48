import { v7 } from 'uuid'

/** The layout of an id. A later layout gets another number. */
const LAYOUT = 0b01

/** The bits of `seq` that are random: 12 before the variant, and the last 6. uuid sets the variant between them. */
const RANDOM = 0xfff0_003f

/**
 * Makes an id of a resource that belongs to `owner_id`: a UUIDv7 (RFC 9562) whose two bits after the variant are the layout,
 * and whose next 12 bits are the owner's partition. So any id leads to its owner's database without a directory. In SQL the
 * partition of an id is `substr(id, 21, 3)`, in hexadecimal.
 */
export function newId(owner_id: string): string {
  const random = crypto.getRandomValues(new Uint8Array(16))
  const bits = new DataView(random.buffer).getUint32(0) & RANDOM
  return v7({ random, seq: bits | (LAYOUT << 18) | (partitionNumber(owner_id) << 6) })
}

/**
 * The partition of a user, 0 to 4095: FNV-1a of the id in UTF-8 (32 bits) with the finaliser of MurmurHash3. Never changes,
 * because ids carry it.
 */
export function partitionNumber(user_id: string): number {
  let hash = 0x811c_9dc5
  for (const byte of encoder.encode(user_id)) hash = Math.imul(hash ^ byte, 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) & 0xfff
}

const encoder = new TextEncoder()

/** A partition as ids and rows have it: three hexadecimal digits. */
export function partitionText(partition: number): string {
  return partition.toString(16).padStart(3, '0')
}

/** The partition of a user, as ids and rows have it. */
export function partitionOf(user_id: string): string {
  return partitionText(partitionNumber(user_id))
}

/** Whether a value has the form of an id that `newId` makes. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}

/** A UUID of version 7, in lower case. The digit 9 is the variant, 10, and the layout, 01. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/

/** The partition in an id of the service's. Text from a request has to pass `isId` first. */
export function partitionIn(id: string): string {
  return id.slice(20, 23)
}

/** Whether a text is one of the 4,096 partitions, as ids and rows have it. */
export function isPartition(text: string): boolean {
  return PARTITION.test(text)
}

const PARTITION = /^[0-9a-f]{3}$/

/** The lowest text that the id of a resource made from this time on (Unix seconds) can have: ids begin with their time (RFC 9562 §5.7). */
export function earliestId(seconds: number): string {
  const time = (seconds * 1_000).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}
