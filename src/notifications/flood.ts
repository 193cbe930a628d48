/** A user's sockets may bring this many bytes in a minute. They may bring nothing but `ping`, so this is generous. */
const MOST_BYTES = 1024 ** 2
/** For how long new sockets are refused after more, in seconds. */
const REFUSED_FOR = 60

/** What the sockets of an inbox brought in a minute (of Unix time). In the storage, since hibernation ends an object. */
interface Received {
  minute: number
  bytes: number
  /** Unix seconds; 0 when nothing is refused. */
  refused_until: number
}

const KEY = 'received'

/** Counts bytes that clients have sent by `now` (Unix seconds). Too many, and new sockets are refused for a while. */
export function countReceived({ kv }: DurableObjectStorage, bytes: number, now: number): void {
  const minute = Math.floor(now / 60)
  const known = kv.get<Received>(KEY)
  const sum = bytes + (known?.minute === minute ? known.bytes : 0)
  const refused_until = sum > MOST_BYTES ? now + REFUSED_FOR : (known?.refused_until ?? 0)
  kv.put<Received>(KEY, { minute, bytes: sum, refused_until })
}

/** For how many seconds more new sockets are refused; 0 when they are not. */
export function refusedFor({ kv }: DurableObjectStorage, now: number): number {
  return Math.max(0, (kv.get<Received>(KEY)?.refused_until ?? 0) - now)
}
