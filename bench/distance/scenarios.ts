import type { HotPath } from '../paths.ts'
import { type Device, opening } from './device.ts'
import { logUniform } from './draws.ts'

/** What a request showed. */
export interface Sample {
  ms: number
  /** Whether it was answered with an error, or not at all. */
  isFailed: boolean
  /** For a read after a write: whether it lacks the write, and how long ago that was answered, in milliseconds. */
  isStale?: boolean
  since_ms?: number
}

/** A request that is measured again and again. */
export interface Scenario {
  title: string
  /** Devices that read and write send them again and again. The others meet a replica that lacks something. */
  kind: 'read' | 'write' | 'start' | 'own write' | "another device's write"
  /** Begins with new devices, and returns what takes a sample. */
  begin: (open: () => Device, draw: () => number) => Promise<() => Promise<Sample>>
}

/** The hot paths of the bench that are measured: the beginnings of their titles. */
const MEASURED = [
  'list files, 100',
  'get a file',
  'download URL',
  'URLs of 100 files',
  'list own assets',
  'get an asset',
  'browse public',
  'create a folder',
  'rename a file',
  'store 64 KiB',
]

/** The shapes of paths that write. */
const WRITES = new Set<HotPath['shape']>(['created', 'changed', 'content'])

/** The pauses before requests, in milliseconds: between those of one device, and of one of many that browse in a city. */
const usually = (draw: () => number) => logUniform(draw, 1_000, 60_000)
const amongMany = (draw: () => number) => logUniform(draw, 100, 2_000)

/** The hot requests of devices that have been open for a while, and those that may meet a replica without what they ask for. */
export function scenariosOf(paths: HotPath[]): Scenario[] {
  const hot = MEASURED.map((beginning) => pathOf(paths, beginning))
  return [
    ...hot.map((path): Scenario => {
      const pause = path.title.startsWith('browse') ? amongMany : usually
      return {
        title: path.title,
        kind: WRITES.has(path.shape) ? 'write' : 'read',
        begin: async (open, draw) => {
          const device = await opened(open, () => pause(draw))
          return async () => sampleOf(await device.send(path, pause(draw)))
        },
      }
    }),
    {
      title: 'the first request of a start',
      kind: 'start',
      begin: async (open, draw) => async () => sampleOf(await open().send(opening, usually(draw))),
    },
    {
      title: 'the second one, 0.3 s to 3 s later',
      kind: 'start',
      begin: async (open, draw) => async () => {
        const device = open()
        await device.send(opening, usually(draw))
        return sampleOf(await device.send(opening, logUniform(draw, 300, 3_000)))
      },
    },
    readsAfterWrite('write, then read', 'own write', paths),
    readsAfterWrite('another device writes, then read', "another device's write", paths),
  ]
}

/** Renames a file, and reads it 0.05 s to 20 s later. */
function readsAfterWrite(title: string, kind: Scenario['kind'], paths: HotPath[]): Scenario {
  const rename = { ...pathOf(paths, 'rename a file'), isNamedAnew: true }
  const get = pathOf(paths, 'get a file')
  return {
    title,
    kind,
    begin: async (open, draw) => {
      const pause = () => usually(draw)
      const reader = await opened(open, pause)
      const writer = kind === 'own write' ? reader : await opened(open, pause)
      return async () => {
        const written = await writer.send(rename, pause())
        const { name } = written.record
        if (written.status !== 200 || typeof name !== 'string') throw new Error('the file was not renamed')
        const since_ms = logUniform(draw, 50, 20_000)
        const read = await reader.send(get, since_ms)
        return { ...sampleOf(read), isStale: read.status === 200 && read.record.name !== name, since_ms }
      }
    },
  }
}

function pathOf(paths: HotPath[], beginning: string): HotPath {
  const path = paths.find(({ title }) => title.startsWith(beginning))
  if (!path) throw new Error(`there is no hot path "${beginning}"`)
  return path
}

function sampleOf({ ms, status }: { ms: number; status: number }): Sample {
  return { ms, isFailed: status >= 300 }
}

/** A device that has sent its first two requests: the first one reads the primary, and the second one waits for what that has seen. */
async function opened(open: () => Device, pause: () => number): Promise<Device> {
  const device = open()
  for (let request = 0; request < 2; request++) await device.send(opening, pause())
  return device
}
