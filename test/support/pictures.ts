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
const little = (value: number, length: number) => Array.from({ length }, (_, at) => (value >> (8 * at)) & 255)
const big = (value: number, length: number) => little(value, length).reverse()

const replaced = (picture: Uint8Array, offset: number, values: number[]) => {
  const copy = Uint8Array.from(picture)
  copy.set(values, offset)
  return copy
}
const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0))
const riff = (chunk: string, values: number[]) =>
  Uint8Array.from([
    ...letters('RIFF'),
    ...little(4 + 8 + values.length, 4),
    ...letters('WEBP'),
    ...letters(chunk),
    ...little(values.length, 4),
    ...values,
  ])
/** The header of a frame and what is before it. */
const jpegOf = (width: number, height: number, before: number[] = []) =>
  Uint8Array.from([
    0xff,
    0xd8,
    ...before,
    0xff,
    0xc2,
    0,
    11,
    8,
    ...big(height, 2),
    ...big(width, 2),
    1,
    1,
    0x11,
    0,
    0xff,
    0xd9,
  ])
/** A segment that holds the header of another, tiny picture. */
const thumbnail = [0xff, 0xe1, 0, 13, ...[0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1]]

/** Pictures whose headers declare a size, in each way that there is. */
export const sized: Record<string, (width: number, height: number) => Uint8Array<ArrayBuffer>> = {
  PNG: (width, height) => replaced(png, 16, [...big(width, 4), ...big(height, 4)]),
  JPEG: (width, height) => jpegOf(width, height),
  'JPEG with a small thumbnail': (width, height) => jpegOf(width, height, thumbnail),
  'JPEG with fill bytes': (width, height) => jpegOf(width, height, [0xff, 0xd8, 7, 0xff, 0xff, 0xff]),
  WebP: (width, height) => replaced(webp, 26, [...little(width, 2), ...little(height, 2)]),
  'lossless WebP': (width, height) =>
    riff('VP8L', [0x2f, ...little((width - 1) | ((height - 1) << 14), 4), ...little(0, 8)]),
  'extended WebP': (width, height) =>
    riff('VP8X', [...little(0, 4), ...little(width - 1, 3), ...little(height - 1, 3), ...little(0, 8)]),
}
