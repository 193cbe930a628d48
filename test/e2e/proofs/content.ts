import { createCipheriv } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

const STEP_BYTES = 8 * 1024 ** 2

/** Writes a file of random bytes, the same for the same seed. */
export async function writeContent(path: string, size_bytes: number, seed: number): Promise<void> {
  const key = Buffer.alloc(16)
  key.writeDoubleBE(seed)
  const stream = createCipheriv('aes-128-ctr', key, Buffer.alloc(16))
  const file = await open(path, 'w')
  for (let at = 0; at < size_bytes; at += STEP_BYTES)
    await file.write(stream.update(Buffer.alloc(Math.min(STEP_BYTES, size_bytes - at))))
  await file.close()
}

/** Where what comes from a URL differs from a file, compared byte for byte; undefined when it is the same. */
export async function differenceOf(url: string, path: string): Promise<string | undefined> {
  const response = await fetch(url)
  if (response.status !== 200 || !response.body) return `the download answered ${response.status}`
  const file = await open(path)
  try {
    const { size } = await file.stat()
    let at = 0
    for await (const chunk of response.body) {
      if (!(await piece(file, at, chunk.length)).equals(chunk)) return `something differs from byte ${at} on`
      at += chunk.length
    }
    return at === size ? undefined : `there are ${at} bytes, not ${size}`
  } finally {
    await file.close()
  }
}

async function piece(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), { position })
  return buffer.subarray(0, bytesRead)
}
