import { MAX_UNPACKED_BYTES, noFormat, type Picture, tooMuchUnpacked, walkPicture } from './formats.ts'

/** Bytes that are there, or the next piece of them each time it is called; undefined at their end. */
export type Content = ArrayBuffer | (() => Promise<Uint8Array<ArrayBuffer> | undefined>)

/** The most steps through one picture: a GIF of 10 MiB in blocks of the usual length has 41,000. */
const MAX_STEPS = 131_072

/** The most compressed texts and profiles of one picture: each needs a decompressor. */
const MAX_COMPRESSED = 32

/**
 * Reads the properties of a picture, from its first byte to the end that it declares. Returns a text, the reason, when the
 * picture is rejected. Holds no more than a piece of the content and the compressed texts of a PNG, 64 KiB each.
 */
export async function readPicture(content: Content): Promise<Picture | string> {
  const [bytes, next] =
    content instanceof ArrayBuffer ? [content, async () => undefined] : [new ArrayBuffer(0), content]
  const compressed: Uint8Array<ArrayBuffer>[] = []
  const walk = walkPicture((stream) => compressed.push(stream))
  let [held, step] = [new Uint8Array(bytes), walk.next()]
  for (let steps = 0; !step.done; steps++) {
    if (steps === MAX_STEPS || compressed.length > MAX_COMPRESSED) return 'The picture has too many parts.'
    let [skip, see] = step.value
    while (held.length < skip + see) {
      // Skipped bytes are not kept.
      const kept = held.subarray(Math.min(skip, held.length))
      skip -= held.length - kept.length
      const piece = await next()
      if (piece === undefined) return steps === 0 ? noFormat : 'The picture is cut off.'
      held = kept.length === 0 ? piece : joined(kept, piece)
    }
    step = walk.next(new DataView(held.buffer, held.byteOffset + skip, see))
    held = held.subarray(skip)
  }
  const found = step.value
  if (typeof found === 'string') return found
  if (found.width === 0 || found.height === 0) return 'The size of the picture can’t be read.'
  return (await unpackingFailure(compressed)) ?? found
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** How many bytes a decompressor gets at a time: it makes at most 1,032 times as many of them. */
const BYTES_AT_ONCE = 64

/**
 * Why zlib streams are not taken, as a message for the client; undefined when they unpack to MAX_UNPACKED_BYTES at most. More bytes
 * than that are not unpacked at all: blocks without content cost time and unpack to nothing.
 */
async function unpackingFailure(streams: readonly Uint8Array<ArrayBuffer>[]): Promise<string | undefined> {
  if (streams.reduce((sum, { length }) => sum + length, 0) > MAX_UNPACKED_BYTES) return tooMuchUnpacked
  let unpacked = 0
  for (const stream of streams) {
    const room = MAX_UNPACKED_BYTES + 1 - unpacked
    const reader = inPieces(stream)
      .pipeThrough(new DecompressionStream('deflate'))
      .getReader({ mode: 'byob' })
    try {
      const { value } = await reader.readAtLeast(room, new Uint8Array(room))
      unpacked += value?.length ?? 0
    } catch {
      return 'A compressed text or profile of the PNG can’t be unpacked.'
    }
    if (unpacked > MAX_UNPACKED_BYTES) {
      await reader.cancel()
      return tooMuchUnpacked
    }
  }
  return undefined
}

/** Bytes as a stream from which no more is taken than its reader asks for. */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + BYTES_AT_ONCE))
      at += BYTES_AT_ONCE
    },
  })
}
