import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { type BytesSource, type Client, SaveConflict } from '#client'
import { newClient, noting } from './client.ts'

const TEXT = '{"coins":5,"of":"Müller 🎮"}'
const utf8 = Uint8Array.from(new TextEncoder().encode(TEXT))
const shared = new Uint8Array(new SharedArrayBuffer(utf8.length))
shared.set(utf8)
const framed = new Uint8Array([1, 2, 3, ...utf8, 4, 5])

/** The same bytes in each of the forms. */
const forms: Record<string, BytesSource> = {
  'a string': TEXT,
  'a Blob': new Blob([TEXT]),
  'a File': new File([TEXT], 'game.json'),
  'a Uint8Array': utf8,
  'an ArrayBuffer': utf8.buffer,
  'a view with an offset': framed.subarray(3, 3 + utf8.length),
  'a DataView with an offset': new DataView(framed.buffer, 3, utf8.length),
  'another view': new Int8Array(framed.buffer, 3, utf8.length),
  'a Buffer of Node': Buffer.from(TEXT),
  'a SharedArrayBuffer': shared.buffer,
  'a view of a SharedArrayBuffer': shared,
}

/** What was stored as no bytes, as other bytes, or never sent. */
const none: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  'a number': 5,
  true: true,
  'an object': { coins: 5 },
  'an array of numbers': [1, 2, 3],
  'a Promise of bytes': Promise.resolve(utf8),
  'a function': () => utf8,
  'a Response': new Response(TEXT),
  'a stream': new Blob([TEXT]).stream(),
  'half of a surrogate pair': 'a\ud800',
}

const mime_type = 'text/plain'

/** Each method that takes bytes, and what the service has afterwards. */
const methods: Record<string, (client: Client, bytes: BytesSource) => Promise<ArrayBuffer | Uint8Array>> = {
  'saves.write': async ({ saves }, bytes) => {
    await saves.write({ slot: 'auto', bytes })
    return (await saves.read({ slot: 'auto' })).bytes
  },
  'the resolve of a conflict': async ({ saves }, bytes) => {
    const offline = saves.offline(new Map())
    await offline.write({ slot: 'auto', bytes: 'theirs' })
    await offline.flush()
    offline.close()
    const conflict: unknown = await saves
      .write({ slot: 'auto', bytes: 'mine' })
      .catch((error: unknown) => error)
    if (!(conflict instanceof SaveConflict)) throw conflict
    await conflict.resolve({ bytes })
    return (await saves.read({ slot: 'auto' })).bytes
  },
  'the resolve of an offline conflict': async ({ saves }, bytes) => {
    const offline = saves.offline(new Map())
    await saves.write({ slot: 'auto', bytes: 'theirs' })
    await offline.write({ slot: 'auto', bytes: 'mine' })
    await offline.flush()
    const [conflict] = await offline.conflicts()
    await conflict?.resolve({ bytes })
    offline.close()
    return (await saves.read({ slot: 'auto' })).bytes
  },
  'offline saves': async ({ saves }, bytes) => {
    const offline = saves.offline(new Map())
    await offline.write({ slot: 'auto', bytes })
    await offline.flush()
    offline.close()
    return (await saves.read({ slot: 'auto' })).bytes
  },
  upload: async (client, bytes) => {
    const file = await client.files.upload({ content: bytes, name: 'a.txt', mime_type })
    return (await client.files.download({ id: file.id })).arrayBuffer()
  },
  'upload in place of other content': async (client, content) => {
    const { id } = await client.files.upload({ name: 'a.txt', content: 'before', mime_type })
    const { size_bytes } = await client.files.upload({ file_id: id, content, mime_type })
    return (await client.files.download({ id, size_bytes })).arrayBuffer()
  },
}

describe('the same bytes are sent', () => {
  it.each(Object.entries(methods))('by %s, whatever form they have', async (_, send) => {
    for (const [form, bytes] of Object.entries(forms))
      expect(new Uint8Array(await send(await newClient(), bytes)), form).toEqual(utf8)
  })

  it('by saves as they were when the call was made, in the order of the calls', async () => {
    const { saves } = await newClient()
    const writing = saves.write({ slot: 'auto', bytes: shared })
    shared.fill(0)
    await writing
    shared.set(utf8)
    expect((await saves.read({ slot: 'auto' })).bytes).toEqual(utf8)
    const offline = saves.offline(new Map())
    await Promise.all([
      offline.write({ slot: 'auto', bytes: new Blob(['first']) }),
      offline.write({ slot: 'auto', bytes: 'second' }),
    ])
    expect((await offline.read({ slot: 'auto' })).bytes).toEqual(new TextEncoder().encode('second'))
    offline.close()
  })
})

it.each(Object.entries(none))(
  '%s is a TypeError in each method that takes bytes, before a request',
  async (_, given) => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const offline = client.saves.offline(new Map())
    const bytes: never = given as never
    const calls: Record<string, Promise<unknown>> = {
      'saves.write': client.saves.write({ slot: 'auto', bytes }),
      'offline saves': offline.write({ slot: 'auto', bytes }),
      upload: client.files.upload({ content: bytes, name: 'a.txt' }),
      'upload in place of other content': client.files.upload({ content: bytes, file_id: 'a' }),
      'upload of an asset': client.assets.upload({ content: bytes, name: 'a', asset_type: 'world' }),
      setPreview: client.assets.setPreview({ id: 'a', content: bytes, mime_type }),
    }
    for (const [name, call] of Object.entries(calls)) await expect(call, name).rejects.toThrow(TypeError)
    expect(await offline.waiting()).toEqual([])
    offline.close()
    expect(requests).toEqual([])
  },
)
