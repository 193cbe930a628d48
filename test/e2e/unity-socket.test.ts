import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { z } from '@hono/zod-openapi'
import { expect, it, vi } from 'vitest'
import { developmentToken } from '../../scripts/development.ts'
import { sharedServer } from './shared-servers.ts'

const LIBRARY = new URL('../../engines/unity/Runtime/Unity/WebGL/Socket.jslib', import.meta.url)

/** The functions of the library, by name. */
interface Library {
  EdgeGameStorageSocketOpen(url: string, protocol: string, bearer: string): number
  EdgeGameStorageSocketIsOpen(id: number): number
  EdgeGameStorageSocketNext(id: number): string | 0
  EdgeGameStorageSocketSend(id: number, text: string): void
  EdgeGameStorageSocketCloseCode(id: number): number
  EdgeGameStorageSocketClose(id: number): void
}

/** Merges the library as Emscripten does, with texts in place of pointers to them: a `$name` becomes the variable `name`. */
function merged(): Library {
  let allocated = ''
  const library: Record<string, unknown> = {}
  const context = {
    WebSocket,
    LibraryManager: { library },
    mergeInto: (into: object, functions: object) => Object.assign(into, functions),
    UTF8ToString: (text: string) => text,
    lengthBytesUTF8: (text: string) => Buffer.byteLength(text),
    _malloc: (size: number) => size,
    stringToUTF8: (text: string, _pointer: number, size: number) => {
      allocated = Buffer.from(text)
        .subarray(0, size - 1)
        .toString()
    },
  }
  new Script(readFileSync(LIBRARY, 'utf8')).runInNewContext(context)
  const sockets = library.$edgeGameStorageSockets
  const functions = z.record(z.string(), z.unknown()).parse(library)
  Object.assign(context, { edgeGameStorageSockets: sockets })
  const call = (name: string) =>
    z.custom<(...given: unknown[]) => number>((value) => typeof value === 'function').parse(functions[name])
  return {
    EdgeGameStorageSocketOpen: (...given) => call('EdgeGameStorageSocketOpen')(...given),
    EdgeGameStorageSocketIsOpen: (id) => call('EdgeGameStorageSocketIsOpen')(id),
    EdgeGameStorageSocketNext: (id) => (call('EdgeGameStorageSocketNext')(id) === 0 ? 0 : allocated),
    EdgeGameStorageSocketSend: (id, text) => void call('EdgeGameStorageSocketSend')(id, text),
    EdgeGameStorageSocketCloseCode: (id) => call('EdgeGameStorageSocketCloseCode')(id),
    EdgeGameStorageSocketClose: (id) => void call('EdgeGameStorageSocketClose')(id),
  }
}

it('the socket of a Unity player in a browser receives, sends, and reports the code of its end', async () => {
  const server = await sharedServer('usual')
  const url = `${server.url().replace(/^http/, 'ws')}/v1/notifications/ws?after=0`
  const sockets = merged()
  const token = await developmentToken(`unity-${crypto.randomUUID()}`)
  const id = sockets.EdgeGameStorageSocketOpen(url, 'notifications.v1', `bearer.${token}`)
  const received: string[] = []
  const arrived = () => {
    for (
      let next = sockets.EdgeGameStorageSocketNext(id);
      next !== 0;
      next = sockets.EdgeGameStorageSocketNext(id)
    )
      received.push(next)
    return received
  }

  await vi.waitFor(() => expect(sockets.EdgeGameStorageSocketIsOpen(id)).toBe(1), 20_000)
  await vi.waitFor(() => expect(arrived()[0]).toContain('"type":"ready"'), 20_000)
  sockets.EdgeGameStorageSocketSend(id, 'ping')
  await vi.waitFor(() => expect(arrived()).toContain('pong'), 20_000)
  expect(sockets.EdgeGameStorageSocketCloseCode(id)).toBe(0)

  const refused = sockets.EdgeGameStorageSocketOpen(url, 'notifications.v1', 'bearer.no-token')
  await vi.waitFor(() => expect(sockets.EdgeGameStorageSocketCloseCode(refused)).not.toBe(0), 20_000)
  expect(sockets.EdgeGameStorageSocketIsOpen(refused)).toBe(0)

  for (const one of [id, refused]) sockets.EdgeGameStorageSocketClose(one)
  expect(sockets.EdgeGameStorageSocketNext(id)).toBe(0)
})
