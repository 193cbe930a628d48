/** Generates pictures and sounds, so that examples need no media files. */
import { crc32, deflateSync } from 'node:zlib'

/** A landscape under a sky of this hue (0 to 360), as a PNG. */
export function landscape(hue: number, width = 640, height = 360): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width * 3) + 1 + x * 3
      const [r, g, b] = colourAt(hue, x / width, y / height)
      rows[at] = r
      rows[at + 1] = g
      rows[at + 2] = b
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8) // 8 bits for each of three colours
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, check])
}

/** Three ranges of hills before a sun. */
function colourAt(hue: number, x: number, y: number): [number, number, number] {
  for (const [index, base] of [0.82, 0.68, 0.55].entries()) {
    const ridge = base + 0.06 * Math.sin(x * (5 + 3 * index) + index * 2) + 0.02 * Math.sin(x * 23 + index)
    if (y > ridge) return fromHsl(hue + 20 * index, 0.35, 0.18 + 0.13 * index)
  }
  const isSun = (x - 0.7) ** 2 * 3.2 + (y - 0.3) ** 2 < 0.012
  return isSun ? [255, 244, 214] : fromHsl(hue + 40 - 30 * y, 0.6, 0.55 + 0.3 * y)
}

function fromHsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    const reach = saturation * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [part(0), part(8), part(4)]
}

/** A tone of one second that fades, as a WAV. */
export function tone(hertz: number): Buffer {
  const rate = 8_000
  const samples = Buffer.alloc(rate * 2)
  for (let i = 0; i < rate; i++)
    samples.writeInt16LE(
      Math.round(20_000 * Math.sin((i * hertz * 2 * Math.PI) / rate) * (1 - i / rate)),
      i * 2,
    )
  return wave(samples, rate)
}

/** Samples of 16 bits, `rate` of them a second, as a WAV of one channel. */
export function wave(samples: Buffer, rate: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
