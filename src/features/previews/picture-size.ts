/** Width and height in pixels, as the header of a picture declares them. */
export interface PictureSize {
  width: number
  height: number
}

/**
 * The size that the header of a PNG, a JPEG or a WebP declares: a decoder reserves memory for it before it reads the rest.
 * Undefined when there is none in the bytes.
 */
export function pictureSize(bytes: ArrayBuffer, mime_type: string): PictureSize | undefined {
  const view = new DataView(bytes)
  if (mime_type === 'image/png') return ofPng(view)
  return mime_type === 'image/jpeg' ? ofJpeg(view) : ofWebp(view)
}

/** PNG (Third Edition), 11.2.1: IHDR is the first chunk. */
function ofPng(view: DataView): PictureSize | undefined {
  if (view.byteLength < 24 || textAt(view, 12) !== 'IHDR') return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** ITU-T T.81, B.1.1.2 and B.2.2: segments up to the header of the frame. Decoders skip what is between segments, too. */
function ofJpeg(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 < view.byteLength; ) {
    const marker = view.getUint8(at + 1)
    if (view.getUint8(at) !== 0xff || marker === 0xff || isWithoutLength(marker)) {
      at++
      continue
    }
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15. C4, C8 and CC, which are among them, are other segments. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** No marker (0), TEM, RST0 to RST7, SOI and EOI. */
function isWithoutLength(marker: number): boolean {
  return marker <= 1 || (marker >= 0xd0 && marker <= 0xd9)
}

/** RFC 9649, 2.5 to 2.7: the first chunk says it, in one of three ways. */
function ofWebp(view: DataView): PictureSize | undefined {
  if (view.byteLength < 30) return undefined
  const chunk = textAt(view, 12)
  if (chunk === 'VP8X')
    return { width: 1 + (view.getUint32(23, true) >>> 8), height: 1 + (view.getUint32(26, true) >>> 8) }
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (chunk === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  return undefined
}

/** The four characters at an offset. */
function textAt(view: DataView, offset: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)))
}
