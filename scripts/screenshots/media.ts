/** Generates pictures and sounds, so that examples need no media files. */
import { type Colour, fromHsl, pngOf } from '../drawing.ts'

const landscapes = new Map<string, Buffer>()

/** A landscape under a sky of this hue (0 to 360), as a PNG. Each is drawn once, which takes a tenth of a second. */
export function landscape(hue: number, width = 640, height = 360): Buffer {
  const key = [hue, width, height].join()
  const drawn = landscapes.get(key) ?? pngOf((x, y) => colourAt(hue, x, y), width, height)
  landscapes.set(key, drawn)
  return drawn
}

/** Three ranges of hills before a sun. */
function colourAt(hue: number, x: number, y: number): Colour {
  for (const [index, base] of [0.82, 0.68, 0.55].entries()) {
    const ridge = base + 0.06 * Math.sin(x * (5 + 3 * index) + index * 2) + 0.02 * Math.sin(x * 23 + index)
    if (y > ridge) return fromHsl(hue + 20 * index, 0.35, 0.18 + 0.13 * index)
  }
  const isSun = (x - 0.7) ** 2 * 3.2 + (y - 0.3) ** 2 < 0.012
  return isSun ? [255, 244, 214] : fromHsl(hue + 40 - 30 * y, 0.6, 0.55 + 0.3 * y)
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
