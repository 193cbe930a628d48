/** The properties that the bytes of a picture declare. */
export interface Picture {
  mime_type: PictureType
  /** Of the area that holds all its frames, in pixels. */
  width: number
  height: number
  /** Bits a channel. */
  depth: number
  isAnimated: boolean
  /** How many pictures of that area a client may unpack. */
  frames: number
}

/** A step through the bytes: how many to pass over, and how many to see from there, 64 KiB at most. */
type Step = [skip: number, see: number]

/** A walk through the bytes of a picture. It returns the picture's properties, or why the picture is rejected. */
export type Walk = Generator<Step, Picture | string, DataView<ArrayBuffer>>

export const noFormat = 'The first bytes are of no known picture format.'

/**
 * The most bytes that the compressed texts and profiles of a PNG unpack to. A stream within this limit is no longer than it,
 * either.
 */
export const MAX_UNPACKED_BYTES = 65_536

/** Takes the compressed texts and profiles of a PNG, each as a zlib stream. */
export type Unpack = (stream: Uint8Array<ArrayBuffer>) => void

/** Recognises a picture by the signature at its first byte: many decoders reject a file with bytes before the signature. */
export function* walkPicture(unpack: Unpack): Walk {
  const start = yield [0, 12]
  const first = start.getUint32(0)
  if (first === code('\x89PNG') && start.getUint32(4) === code('\r\n\x1a\n')) return yield* walkPng(unpack)
  if (first >>> 8 === 0xffd8ff) return yield* walkJpeg()
  if (first === code('GIF8') && isGifVersion(start.getUint16(4))) return yield* walkGif()
  if (first === code('RIFF') && start.getUint32(8) === code('WEBP')) return yield* walkWebp()
  return noFormat
}

/** Four characters as the number that they are in a file. */
function code(text: string): number {
  return [...text].reduce((number, character) => number * 256 + character.charCodeAt(0), 0)
}

const IHDR = code('IHDR')
const IEND = code('IEND')
const acTL = code('acTL')
const fcTL = code('fcTL')
const zTXt = code('zTXt')
const iTXt = code('iTXt')
const iCCP = code('iCCP')

/** PNG (Third Edition), 5.3 and 11: chunks, of which IHDR is the first and IEND the last. */
function* walkPng(unpack: Unpack): Walk {
  const header = yield [8, 25]
  if (header.getUint32(0) !== 13 || header.getUint32(4) !== IHDR) return 'The first chunk of a PNG is IHDR.'
  const [width, height, depth] = [header.getUint32(8), header.getUint32(12), header.getUint8(16)]
  const picture: Picture = { mime_type: 'image/png', width, height, depth, isAnimated: false, frames: 1 }
  for (let [rest, controls] = [25, 0]; ; ) {
    const chunk = yield [rest, 8]
    const [length, type] = [chunk.getUint32(0), chunk.getUint32(4)]
    rest = 8 + length + 4
    if (type === IEND) return picture
    if (type === IHDR) return 'A PNG has one IHDR.'
    if (type === fcTL) picture.frames = Math.max(picture.frames, ++controls)
    if (type === acTL) {
      picture.isAnimated = true
      picture.frames = Math.max(picture.frames, (yield [8, 4]).getUint32(0))
      rest -= 8
    }
    if (type !== zTXt && type !== iCCP && type !== iTXt) continue
    const begin = yield [8, Math.min(length, MAX_KEYWORD_BYTES + 2)]
    rest -= 8
    const keyword = bytesOf(begin).indexOf(0)
    if (keyword === -1 || keyword + 2 > begin.byteLength) return 'A text or a profile of the PNG has no name.'
    if (type === iTXt && begin.getUint8(keyword + 1) === 0) continue
    if (length > MAX_UNPACKED_BYTES) return tooMuchUnpacked
    const bytes = bytesOf(yield [0, length])
    const afterLanguage = bytes.indexOf(0, keyword + 3) + 1
    unpack(bytes.slice(type === iTXt ? bytes.indexOf(0, afterLanguage) + 1 : keyword + 2))
  }
}

const MAX_KEYWORD_BYTES = 79

export const tooMuchUnpacked = `The texts and profiles of a PNG unpack to ${MAX_UNPACKED_BYTES} bytes at most.`

/** ITU-T T.81, B.1.1.2 and B.2.2: segments up to the header of the frame. Decoders skip what is between segments, too. */
function* walkJpeg(): Walk {
  for (let [skip, isAfterPrefix] = [2, false]; ; ) {
    const marker = (yield [skip, 1]).getUint8(0)
    skip = 1
    if (!isAfterPrefix || marker === 0xff || isWithoutLength(marker)) {
      isAfterPrefix = marker === 0xff
      continue
    }
    if (isFrame(marker)) {
      const frame = yield [3, 5]
      const [depth, height, width] = [frame.getUint8(0), frame.getUint16(1), frame.getUint16(3)]
      return { mime_type: 'image/jpeg', width, height, depth, isAnimated: false, frames: 1 }
    }
    skip = (yield [1, 2]).getUint16(0)
    if (skip < 2) return 'A segment of the JPEG has no length.'
    isAfterPrefix = false
  }
}

/** SOF0 to SOF15. C4, C8 and CC, which are among them, are other segments. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** No marker (0), TEM, RST0 to RST7, SOI and EOI. */
function isWithoutLength(marker: number): boolean {
  return marker <= 1 || (marker >= 0xd0 && marker <= 0xd9)
}

/** Whether a GIF is of the version 87a or 89a. */
function isGifVersion(version: number): boolean {
  return version === 0x3761 || version === 0x3961
}

/** GIF89a, 17 to 27. A frame may be larger than the screen that it is declared for. */
function* walkGif(): Walk {
  const screen = yield [0, 13]
  const picture: Picture = {
    mime_type: 'image/gif',
    ...sizeAt(screen, 6),
    depth: 8,
    isAnimated: false,
    frames: 1,
  }
  for (let [skip, frames] = [13 + colorBytes(screen.getUint8(10)), 0]; ; ) {
    const block = (yield [skip, 1]).getUint8(0)
    if (block === 0x3b) return picture
    if (block !== 0x21 && block !== 0x2c) return 'A block of the GIF is of no known kind.'
    skip = 2
    if (block === 0x2c) {
      const frame = yield [1, 9]
      const { width, height } = sizeAt(frame, 4)
      picture.width = Math.max(picture.width, frame.getUint16(0, true) + width)
      picture.height = Math.max(picture.height, frame.getUint16(2, true) + height)
      picture.frames = ++frames
      picture.isAnimated = frames > 1
      skip = 9 + colorBytes(frame.getUint8(8)) + 1
    }
    for (let length = -1; length !== 0; skip = 1 + length) length = (yield [skip, 1]).getUint8(0)
  }
}

/** The length of the table of colours that the flags of a screen or a frame declare. */
function colorBytes(flags: number): number {
  return flags & 0x80 ? 3 << (1 + (flags & 7)) : 0
}

function sizeAt(view: DataView, offset: number) {
  return { width: view.getUint16(offset, true), height: view.getUint16(offset + 2, true) }
}

const VP8 = code('VP8 ')
const VP8L = code('VP8L')
const VP8X = code('VP8X')
const ANIM = code('ANIM')
const ANMF = code('ANMF')

/** The chunks of a WebP that say a size or are an animation's, and how many of their bytes say it. */
const webpHeaders = new Map([
  [VP8, 10],
  [VP8L, 5],
  [VP8X, 10],
  [ANIM, 0],
  [ANMF, 16],
])

/** RFC 9649, 2.4 to 2.7: chunks. Several may say a size, and decoders differ in which they take. */
function* walkWebp(): Walk {
  const end = 8 + (yield [0, 12]).getUint32(4, true)
  const picture: Picture = {
    mime_type: 'image/webp',
    width: 0,
    height: 0,
    depth: 8,
    isAnimated: false,
    frames: 1,
  }
  let skip = 12
  for (let [at, frames] = [12, 0]; at + 8 <= end; ) {
    const chunk = yield [skip, 8]
    const [type, length] = [chunk.getUint32(0), chunk.getUint32(4, true)]
    skip = 8 + length + (length & 1)
    at += skip
    const headerBytes = webpHeaders.get(type)
    if (headerBytes === undefined) continue
    if (length < headerBytes) return 'A chunk of the WebP is too short.'
    const header = yield [8, headerBytes]
    skip -= 8
    const [width, height] = webpSize(type, header)
    picture.width = Math.max(picture.width, width)
    picture.height = Math.max(picture.height, height)
    picture.isAnimated ||= type === ANIM || type === ANMF || (type === VP8X && (header.getUint8(0) & 2) !== 0)
    if (type === ANMF) picture.frames = ++frames
  }
  yield [skip, 0]
  return picture
}

/** Width and height as a chunk of a WebP says them; of a frame with its place. */
function webpSize(type: number, header: DataView): [number, number] {
  const low24 = (offset: number) => header.getUint16(offset, true) | (header.getUint8(offset + 2) << 16)
  if (type === VP8X) return [1 + low24(4), 1 + low24(7)]
  if (type === ANMF) return [2 * low24(0) + 1 + low24(6), 2 * low24(3) + 1 + low24(9)]
  if (type === VP8L && header.getUint8(0) === 0x2f) {
    const bits = header.getUint32(1, true)
    return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)]
  }
  // Without the signature of its stream, a chunk says nothing.
  if (type === VP8 && low24(3) === 0x2a019d)
    return [header.getUint16(6, true) & 0x3fff, header.getUint16(8, true) & 0x3fff]
  return [0, 0]
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** The MIME types of pictures that every client shows. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type PictureType = (typeof pictureTypes)[number]

/** The MIME types of the previews of assets. */
export const previewTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
