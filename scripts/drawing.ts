/** Draws pictures in code, so that examples need no media files. */
import { crc32, deflateSync } from 'node:zlib'

/** Red, green and blue, from 0 to 255. */
export type Colour = readonly [number, number, number]

/** The colour at a point of a picture: `x` and `y` go from 0 to 1, from the upper left. */
export type Drawing = (x: number, y: number) => Colour

/** A drawing as a PNG. */
export function pngOf(drawing: Drawing, width = 640, height = 360): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from(Array.from({ length: width }, (_, x) => drawing(x / width, y / height)).flat()),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8) // 8 bits for each of three colours
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flatMap(lessAbove)), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A row as its difference to the one above, the filter "Up": skies and walls change little from row to row. */
function lessAbove(row: Buffer, index: number, rows: readonly Buffer[]): Buffer[] {
  const above = rows[index - 1]
  return [Buffer.from([2]), above ? row.map((value, at) => value - (above[at] ?? 0)) : row].map((part) =>
    Buffer.from(part),
  )
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, check])
}

/** A colour of a hue (0 to 360), a saturation and a lightness (0 to 1). */
export function fromHsl(hue: number, saturation: number, lightness: number): Colour {
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    const reach = saturation * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [part(0), part(8), part(4)]
}
