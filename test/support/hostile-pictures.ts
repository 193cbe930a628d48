import {
  anmf,
  big,
  concat,
  gifFrame,
  gifOf,
  ihdr,
  jpegOf,
  letters,
  little,
  png,
  pngChunk,
  pngOf,
  pngSignature,
  vp8,
  vp8x,
  webpChunk,
  webpOf,
} from './pictures.ts'

/** A picture, its type, and a part of the reason for which it is refused. */
type Hostile = [what: string, mime_type: string, picture: Uint8Array<ArrayBuffer>, why: string]

const [PNG, JPEG, GIF, WEBP] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
const pixel = ihdr(1, 1)
const MOST = 2 ** 32 - 1

/** What has something else where a picture begins, or says no size. */
export const unreadable: Hostile[] = [
  ['a byte order mark and a PNG', PNG, concat([0xef, 0xbb, 0xbf], png), 'no known picture format'],
  [
    'an ID3 header and a PNG',
    PNG,
    concat(letters('ID3'), [3, 0, 0, 0, 0, 0, 0], png),
    'no known picture format',
  ],
  ['a space and a GIF', GIF, concat([0x20], gifOf(1, 1, gifFrame())), 'no known picture format'],
  ['the first bytes of a PNG', PNG, png.slice(0, 4), 'no known picture format'],
  ['a PNG that begins with another chunk', PNG, pngOf(pngChunk('CgBI', [0, 0, 0, 0]), [pixel]), 'IHDR'],
  ['a PNG with a longer IHDR', PNG, pngOf(pngChunk('IHDR', new Array(14).fill(1))), 'IHDR'],
  ['a PNG with two IHDR', PNG, pngOf(pixel, [ihdr(9_000, 9_000)]), 'IHDR'],
  ['a PNG of no width', PNG, pngOf(ihdr(0, 9)), 'size'],
  ['a JPEG of no height', JPEG, jpegOf(9, 0), 'size'],
  ['a JPEG without a frame', JPEG, concat([0xff, 0xd8, 0xff, 0xe0, 0, 6, 0, 0, 0, 0, 0xff, 0xd9]), 'cut off'],
  ['a JPEG whose segment has no length', JPEG, jpegOf(1, 1, [0xff, 0xe0, 0, 1]), 'no length'],
  ['a GIF of no height', GIF, gifOf(1, 0), 'size'],
  ['a GIF with an unknown block', GIF, gifOf(1, 1, [0x2d]), 'no known kind'],
  ['a WebP without pixels', WEBP, webpOf(webpChunk('EXIF', [1, 2])), 'size'],
  [
    'a WebP without the signature of its pixels',
    WEBP,
    webpOf(webpChunk('VP8 ', new Array(10).fill(1))),
    'size',
  ],
  ['a WebP with a short header', WEBP, webpOf(webpChunk('VP8X', [0])), 'too short'],
]

/** What declares more than there is, or has no end. */
export const cutOff: Hostile[] = [
  ['a PNG without its end', PNG, pngOf(pixel).slice(0, -12), 'cut off'],
  ['a PNG with a chunk of 4 GiB', PNG, pngOf(pixel, [pngChunk('tEXt', [], MOST)]), 'cut off'],
  [
    'a PNG with a compressed text of 4 GiB',
    PNG,
    pngOf(pixel, [pngChunk('zTXt', letters('a\0\0'), MOST)]),
    'cut off',
  ],
  ['a PNG that ends in its signature', PNG, concat(pngSignature, big(13, 4)), 'cut off'],
  ['a GIF without its end', GIF, gifOf(1, 1, gifFrame()).slice(0, -3), 'cut off'],
  ['a GIF whose block goes on', GIF, gifOf(1, 1, [0x21, 0xfe, 255, 1]), 'cut off'],
  ['a WebP without its end', WEBP, webpOf(vp8(1, 1)).slice(0, -1), 'cut off'],
  ['a WebP with a chunk of 4 GiB', WEBP, webpOf(vp8(1, 1), webpChunk('EXIF', [1, 2], MOST)), 'cut off'],
  [
    'a GIF of endless blocks',
    GIF,
    gifOf(1, 1, [0x21, 0xfe], new Uint8Array(2 ** 20 - 100).fill(1)),
    'too many parts',
  ],
  [
    'a JPEG of endless prefixes',
    JPEG,
    jpegOf(1, 1, new Uint8Array(2 ** 20 - 100).fill(255)),
    'too many parts',
  ],
]

/** What is deeper than 8 bits a channel. */
export const deep: Hostile[] = [
  ['a PNG of 16 bits a channel', PNG, pngOf(ihdr(1, 1, 16)), '8 bits a channel'],
  ['a JPEG of 12 bits a channel', JPEG, jpegOf(1, 1, [], 12), '8 bits a channel'],
]

const acTL = (frames: number) => pngChunk('acTL', [...big(frames, 4), ...big(0, 4)])
const fcTL = pngChunk('fcTL', new Array(26).fill(0))
const times = <Item>(count: number, item: Item): Item[] => new Array<Item>(count).fill(item)
const far = pngChunk('tEXt', new Uint8Array(100_000))

/** What moves, however little. */
export const animated: Hostile[] = [
  ['an animated PNG', PNG, pngOf(pixel, [acTL(1), fcTL]), 'animated'],
  ['a PNG that is animated far behind its pixels', PNG, pngOf(pixel, [], [far, acTL(2)]), 'animated'],
  ['a WebP with the flag of an animation', WEBP, webpOf(vp8x(1, 1, 2), vp8(1, 1)), 'animated'],
  [
    'a WebP with an animation and no flag',
    WEBP,
    webpOf(vp8x(1, 1), webpChunk('ANIM', new Array(6).fill(0))),
    'animated',
  ],
  ['a WebP with a frame', WEBP, webpOf(vp8x(1, 1), anmf()), 'animated'],
  ['a GIF of two frames', GIF, gifOf(1, 1, gifFrame(), gifFrame()), 'animated'],
]

/** Animations of `frames` frames with 1,024 × 1,024 pixels: 32 of them are as many as an emote may have. */
export const animations = (frames: number): Hostile[] => {
  const side = 1_024
  const why = 'All frames together'
  return [
    ['a PNG', PNG, pngOf(ihdr(side, side), [acTL(1), ...times(frames, fcTL)]), why],
    ['a PNG that only says so', PNG, pngOf(ihdr(side, side), [acTL(frames)]), why],
    ['a WebP', WEBP, webpOf(vp8x(side, side, 2), ...times(frames, anmf())), why],
    ['a GIF', GIF, gifOf(side, side, ...times(frames, gifFrame())), why],
  ]
}

/** Frames that are larger than what is declared for all: 1,025 × 1,024 pixels. */
export const overhanging: Hostile[] = [
  ['a GIF', GIF, gifOf(1, 1, gifFrame(1_024, 1_024, 1)), '1025 × 1024'],
  ['a WebP', WEBP, webpOf(vp8x(1, 1, 2), anmf(1_023, 1_024, 2)), '1025 × 1024'],
]

async function zlib(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** PNGs whose texts and profiles unpack to this many bytes, in each way that there is. */
export async function compressed(length: number): Promise<Hostile[]> {
  const [all, half] = [await zlib(new Uint8Array(length)), await zlib(new Uint8Array(length / 2))]
  const zTXt = (stream: Uint8Array) => pngChunk('zTXt', concat(letters('a\0\0'), stream))
  const iCCP = (stream: Uint8Array) => pngChunk('iCCP', concat(letters('b\0\0'), stream))
  const iTXt = (stream: Uint8Array) => pngChunk('iTXt', concat(letters('c\0\x01\0de\0d\0'), stream))
  const why = 'unpack'
  return [
    ['a text', PNG, pngOf(pixel, [zTXt(all)]), why],
    ['a text behind the pixels', PNG, pngOf(pixel, [], [zTXt(all)]), why],
    ['a profile', PNG, pngOf(pixel, [iCCP(all)]), why],
    ['an international text', PNG, pngOf(pixel, [iTXt(all)]), why],
    ['two together', PNG, pngOf(pixel, [iCCP(half), iTXt(half)]), why],
  ]
}

/** Texts and profiles of a PNG that can't be unpacked, and too many of them. */
export async function unpackable(): Promise<Hostile[]> {
  const empty = pngChunk('zTXt', concat(letters('a\0\0'), await zlib(new Uint8Array())))
  const broken = pngChunk('iCCP', concat(letters('a\0\0'), (await zlib(new Uint8Array(99))).slice(0, -6)))
  // Blocks without content, which unpack to nothing.
  const nothing = concat([0x78, 0x9c], ...times(6_600, [0, 0, 0, 255, 255]), [3, 0, 0, 0, 0, 1])
  const long = pngChunk('zTXt', concat(letters('a\0\0'), nothing))
  return [
    ['66 KB that unpack to nothing', PNG, pngOf(pixel, [long, long]), 'unpack'],
    ['a broken profile', PNG, pngOf(pixel, [broken]), 'can’t be unpacked'],
    ['a text without a name', PNG, pngOf(pixel, [pngChunk('zTXt', new Uint8Array(99).fill(65))]), 'no name'],
    ['an empty text', PNG, pngOf(pixel, [pngChunk('iTXt')]), 'no name'],
    ['a compressed text of 65 KiB', PNG, pngOf(pixel, [pngChunk('zTXt', new Uint8Array(66_560))]), 'unpack'],
    ['33 compressed texts', PNG, pngOf(pixel, times(33, empty)), 'too many parts'],
  ]
}

/** Pictures that are taken although they are odd: what is long and harmless, and what follows their end. */
export const odd: Hostile[] = [
  [
    'a PNG with a long text',
    PNG,
    pngOf(pixel, [pngChunk('iTXt', concat(letters('c\0\0\0\0\0'), new Uint8Array(100_000)))]),
    '',
  ],
  ['a PNG with something behind its end', PNG, concat(png, letters('something')), ''],
  [
    'a JPEG with 200 KiB before its frame',
    JPEG,
    jpegOf(9, 9, concat(...times(4, concat([0xff, 0xe2], big(51_202, 2), new Uint8Array(51_200))))),
    '',
  ],
  [
    'a WebP with a chunk that nobody knows',
    WEBP,
    webpOf(vp8x(1, 1), webpChunk('what', [1, 2, 3]), vp8(1, 1)),
    '',
  ],
  [
    'a GIF with a long comment',
    GIF,
    gifOf(1, 1, [0x21, 0xfe], ...times(400, concat([255], new Uint8Array(255))), [0], gifFrame()),
    '',
  ],
  [
    'a GIF with colours of its frame',
    GIF,
    gifOf(
      1,
      1,
      [0x2c, ...little(0, 4), ...little(1, 2), ...little(1, 2), 0x80, 0, 0, 0, 9, 9, 9],
      [2, 2, 0x44, 1, 0],
    ),
    '',
  ],
]
