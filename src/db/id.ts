import { v7 } from 'uuid'

/** The number of the database that new records go to; there is one today. */
const DATABASE = 0

/**
 * A new id: a UUIDv7 (RFC 9562) whose first eight random bits after the variant are the number of its
 * database, so that any id leads to its database without a directory once there are several.
 */
export function newId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16))
  const bits = new DataView(random.buffer).getUint32(0)
  return v7({ random, seq: (bits & ~(0xff << 12)) | (DATABASE << 12) })
}
