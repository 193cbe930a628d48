import { createCipheriv, createHash } from 'node:crypto'

/** Content that was sent: what it is made from, from which its bytes come again at any time. */
export interface Content {
  seed: string
  size_bytes: number
}

/** The bytes of some content: others for each seed, the same each time. */
export function bytesOf({ seed, size_bytes }: Content): Buffer<ArrayBuffer> {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  const bytes = createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size_bytes))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
