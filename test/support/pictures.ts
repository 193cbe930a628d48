const bytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** The smallest pictures of each format: one transparent or black pixel. */
export const png = bytes(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
)
export const gif = bytes('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
export const webp = bytes('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA')
export const jpeg = bytes(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
)

/** Numbers as bytes, the last ones first. */
export const little = (value: number, length: number) =>
  Array.from({ length }, (_, at) => (value >> (8 * at)) & 255)
export const big = (value: number, length: number) => little(value, length).reverse()
export const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0))

type Part = ArrayLike<number>
export const concat = (...parts: Part[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** The signature of a PNG, and one of its chunks, whose checksum nobody compares. */
export const pngSignature = letters('\x89PNG\r\n\x1a\n')
export const pngChunk = (type: string, data: Part = [], length = data.length) =>
  concat(big(length, 4), letters(type), data, big(0, 4))
export const ihdr = (width: number, height: number, depth = 8) =>
  pngChunk('IHDR', [...big(width, 4), ...big(height, 4), depth, 6, 0, 0, 0])
/** A PNG with these chunks before and behind its pixels. */
export const pngOf = (header: Part, before: Part[] = [], behind: Part[] = []) =>
  concat(pngSignature, header, ...before, pngChunk('IDAT', [1, 2, 3]), ...behind, pngChunk('IEND'))

/** A JPEG: the header of its frame, and what is before it. */
export const jpegOf = (width: number, height: number, before: Part = [], depth = 8) =>
  concat([0xff, 0xd8], before, [
    0xff,
    0xc2,
    0,
    11,
    depth,
    ...big(height, 2),
    ...big(width, 2),
    1,
    1,
    0x11,
    0,
    0xff,
    0xd9,
  ])

/** A frame of a GIF, after a block that says how long it is shown. */
export const gifFrame = (width = 1, height = 1, left = 0) =>
  concat(
    [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
    [0x2c, ...little(left, 2), 0, 0, ...little(width, 2), ...little(height, 2), 0],
    [2, 2, 0x44, 1, 0],
  )
export const gifOf = (width: number, height: number, ...blocks: Part[]) =>
  concat(
    letters('GIF89a'),
    [...little(width, 2), ...little(height, 2), 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
    ...blocks,
    [0x3b],
  )

export const webpChunk = (type: string, data: Part, length = data.length) =>
  concat(letters(type), little(length, 4), data, data.length % 2 ? [0] : [])
export const webpOf = (...chunks: Part[]) => {
  const all = concat(...chunks)
  return concat(letters('RIFF'), little(4 + all.length, 4), letters('WEBP'), all)
}
export const vp8 = (width: number, height: number) =>
  webpChunk('VP8 ', [0x30, 1, 0, 0x9d, 1, 0x2a, ...little(width, 2), ...little(height, 2)])
export const vp8x = (width: number, height: number, flags = 0) =>
  webpChunk('VP8X', [flags, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)])
/** A frame of an animated WebP. */
export const anmf = (width = 1, height = 1, left = 0) =>
  webpChunk('ANMF', [
    ...little(left / 2, 3),
    ...little(0, 3),
    ...little(width - 1, 3),
    ...little(height - 1, 3),
    ...little(0, 4),
  ])

/** A segment of a JPEG that holds the header of another, tiny picture. */
const thumbnail = [0xff, 0xe1, 0, 13, ...[0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1]]

/** Pictures that declare a size, in each way that there is. */
export const sized: Record<string, (width: number, height: number) => Uint8Array<ArrayBuffer>> = {
  PNG: (width, height) => pngOf(ihdr(width, height)),
  JPEG: (width, height) => jpegOf(width, height),
  'JPEG with a small thumbnail': (width, height) => jpegOf(width, height, thumbnail),
  'JPEG with fill bytes': (width, height) => jpegOf(width, height, [0xff, 0xd8, 7, 0xff, 0xff, 0xff]),
  WebP: (width, height) => webpOf(vp8(width, height)),
  'lossless WebP': (width, height) =>
    webpOf(webpChunk('VP8L', [0x2f, ...little((width - 1) | ((height - 1) << 14), 4)])),
  'extended WebP': (width, height) => webpOf(vp8x(width, height)),
  'WebP whose pixels are more than it says': (width, height) => webpOf(vp8x(1, 1), vp8(width, height)),
}
