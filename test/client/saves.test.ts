import { describe, expect, it } from 'vitest'
import { type Client, createClient, NetworkError, SaveConflict, ServiceError, WriteConflict } from '#client'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, origin, serviceWith } from '../support/service.ts'
import { atOnce, losing, network, newClient, noting } from './client.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textIn = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes)
const isPut = ({ method }: Request) => method === 'PUT'

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to be refused'),
    (error: unknown) => error,
  )

/** The conflict that a write met. */
async function conflictOf(write: Promise<unknown>): Promise<WriteConflict> {
  const error = await caught(write)
  if (!(error instanceof WriteConflict)) throw error
  return error
}

/** Clients of one user: that of each network, each with a memory of its own. */
async function devices(...networks: Fetch[]): Promise<Client[]> {
  const token = await tokenFor(newNamedId('user'))
  return networks.map((fetch) => createClient({ baseUrl: origin, token, fetch, retry: atOnce }))
}

const conditionsOf = (requests: Request[]) =>
  requests
    .filter(isPut)
    .map(({ headers }) => headers.get('If-Match') ?? headers.get('If-None-Match') ?? 'any')

describe('a save', () => {
  it('is read as it was written, whatever its bytes and texts are', async () => {
    const { saves } = await newClient()
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const said = { device: 'Ada’s phone', label: '100 % 漢字, "Mühle"', played_seconds: 3_600 }
    const save = await saves.write({ slot: 'auto', bytes, ...said, mime_type: 'application/x-level' })
    expect(save).toMatchObject({ slot: 'auto', revision: 1, device: said.device, label: said.label })
    expect(await saves.read({ slot: 'auto' })).toEqual({
      slot: 'auto',
      revision: 1,
      bytes,
      mime_type: 'application/x-level',
      device: said.device,
      label: said.label,
      played_seconds: 3_600,
    })
  })

  it('may be empty, of any type, and an ArrayBuffer', async () => {
    const { saves } = await newClient()
    await saves.write({ slot: 'empty', bytes: new ArrayBuffer(0), mime_type: 'application/json' })
    expect(await saves.read({ slot: 'empty' })).toMatchObject({
      mime_type: 'application/json',
      device: null,
      label: null,
    })
    expect((await saves.read({ slot: 'empty' })).bytes).toEqual(new Uint8Array())
  })

  it('is what it was when it was written, although the game goes on in the same buffer', async () => {
    const { saves } = await newClient()
    const buffer = bytesOf('before')
    const writing = saves.write({ slot: 'auto', bytes: buffer })
    buffer.fill(0)
    await writing
    expect(textIn(await saves.read({ slot: 'auto' }))).toBe('before')
  })

  it('is refused at once with a text that no request can carry, and holds up no other', async () => {
    const { requests, fetch } = noting()
    const { saves } = await newClient(fetch)
    expect(
      await caught(saves.write({ slot: 'auto', bytes: bytesOf('one'), label: '\ud800' })),
    ).toBeInstanceOf(URIError)
    for (const wrong of [
      { mime_type: 'a\nb' },
      { label: 'a\0' },
      { label: '\u202eexe' },
      { device: ' ' },
      { label: '😀'.repeat(256) },
      { device: 'a'.repeat(65) },
    ])
      expect(await caught(saves.write({ slot: 'auto', bytes: bytesOf('one'), ...wrong }))).toBeInstanceOf(
        TypeError,
      )
    expect(requests).toEqual([])
    expect(await saves.write({ slot: 'auto', bytes: bytesOf('two') })).toMatchObject({ revision: 1 })
  })

  it('has a history, is deleted, and comes back', async () => {
    const { saves } = await newClient()
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await saves.write({ slot: 'auto', bytes: bytesOf('two') })
    expect((await saves.listRevisions({ slot: 'auto' })).revisions.map(({ revision }) => revision)).toEqual([
      2, 1,
    ])
    expect(textIn(await saves.read({ slot: 'auto', revision: 1 }))).toBe('one')
    expect(await saves.restore({ slot: 'auto', revision: 1 })).toMatchObject({ revision: 3 })
    await saves.delete({ slot: 'auto' })
    expect((await saves.list()).saves).toEqual([])
    expect((await saves.list({ deleted: true })).saves).toMatchObject([{ slot: 'auto', revision: 3 }])
    expect(await caught(saves.read({ slot: 'auto' }))).toMatchObject({ code: 'SAVE_NOT_FOUND' })
    expect(await saves.restore({ slot: 'auto' })).toMatchObject({ revision: 4 })
    await saves.write({ slot: 'auto', bytes: bytesOf('three') })
    expect((await saves.list()).saves).toMatchObject([{ revision: 5 }])
  })

  it('is no page that something else than the service answers with', async () => {
    const page = async () => new Response('<html>Sign in to the hotel</html>')
    const { saves } = await newClient(page)
    expect(await caught(saves.read({ slot: 'auto' }))).toBeInstanceOf(NetworkError)
  })

  it('is not taken for written because something else answers in JSON', async () => {
    const body = bytesOf('one')
    const record = { slot: 'auto', revision: 1, size_bytes: body.length }
    for (const answer of [
      {},
      { ...record, slot: 'b' },
      { ...record, size_bytes: 0 },
      { ...record, revision: '1' },
    ]) {
      const { saves } = await newClient(async () => Response.json(answer), { retry: { attempts: 1 } })
      expect(await caught(saves.write({ slot: 'auto', bytes: body }))).toBeInstanceOf(NetworkError)
    }
  })
})

describe('the revision that a client has read or written last', () => {
  it('is the one that it replaces, and a slot that it has not read is only written while it is missing', async () => {
    const { requests, fetch } = noting()
    const [phone, tablet] = await devices(fetch, network())
    await phone?.saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await phone?.saves.write({ slot: 'auto', bytes: bytesOf('two') })
    await tablet?.saves.read({ slot: 'auto' })
    await tablet?.saves.write({ slot: 'auto', bytes: bytesOf('three') })
    await phone?.saves.read({ slot: 'auto' })
    await phone?.saves.write({ slot: 'auto', bytes: bytesOf('four') })
    expect(conditionsOf(requests)).toEqual(['*', '"1"', '"3"'])
    const [fresh] = await devices(network())
    await fresh?.saves.write({ slot: 'auto', bytes: bytesOf('of another user') })
  })

  it('is not changed by reading an old revision or a list, which are not what is replaced', async () => {
    const [phone, tablet] = await devices(network(), network())
    await phone?.saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await tablet?.saves.list()
    await tablet?.saves.read({ slot: 'auto', revision: 1 })
    expect(
      await conflictOf(tablet?.saves.write({ slot: 'auto', bytes: bytesOf('two') }) ?? Promise.resolve()),
    ).toMatchObject({
      current: { revision: 1 },
    })
  })

  it('is that of the write before, also when the game does not wait for it', async () => {
    const { saves } = await newClient()
    const written = ['one', 'two', 'three'].map((text) => saves.write({ slot: 'auto', bytes: bytesOf(text) }))
    expect((await Promise.all(written)).map(({ revision }) => revision)).toEqual([1, 2, 3])
  })

  it('guards a deletion and a restore, unless they are to go over anything', async () => {
    const [phone, tablet] = await devices(network(), network())
    if (!phone || !tablet) throw new Error('no clients')
    await phone.saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await tablet.saves.write({ slot: 'auto', bytes: bytesOf('two') }, { overwrite: true })
    for (const change of [
      phone.saves.restore({ slot: 'auto', revision: 1 }),
      phone.saves.delete({ slot: 'auto' }),
    ]) {
      const error = await caught(change)
      if (!(error instanceof SaveConflict)) throw error
      expect(error).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412, current: { revision: 2 } })
      expect(error.cause).toBeInstanceOf(ServiceError)
    }
    expect(await phone.saves.restore({ slot: 'auto', revision: 1 }, { overwrite: true })).toMatchObject({
      revision: 3,
    })
    await tablet.saves.delete({ slot: 'auto' }, { overwrite: true })
    expect((await phone.saves.list()).saves).toEqual([])
  })
})

it('equal bytes of two devices over one revision are a conflict: both had 5 coins, and both found one', async () => {
  const [phone, tablet] = await devices(network(), network())
  await phone?.saves.write({ slot: 'auto', bytes: '5 coins' })
  await tablet?.saves.read({ slot: 'auto' })
  await phone?.saves.write({ slot: 'auto', bytes: '6 coins' })
  expect(
    await conflictOf(tablet?.saves.write({ slot: 'auto', bytes: '6 coins' }) ?? Promise.resolve()),
  ).toMatchObject({
    current: { revision: 2 },
  })
})

describe('a conflict', () => {
  async function met(options: { keep?: boolean } = {}) {
    const [phone, tablet] = await devices(network(), network())
    if (!phone || !tablet) throw new Error('no clients')
    await phone.saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await tablet.saves.read({ slot: 'auto' })
    await tablet.saves.write({ slot: 'auto', bytes: bytesOf('theirs'), device: 'tablet' })
    const mine = { device: 'phone', label: 'mine', ...options }
    return {
      phone,
      tablet,
      conflict: await conflictOf(phone.saves.write({ slot: 'auto', bytes: bytesOf('mine'), ...mine })),
    }
  }

  it('has what is there and what was not written, and nothing is replaced', async () => {
    const { conflict, tablet } = await met()
    expect(conflict).toMatchObject({
      name: 'SaveConflict',
      slot: 'auto',
      current: { revision: 2, device: 'tablet' },
      mine: { device: 'phone', label: 'mine' },
      kept_revision: undefined,
      cause: { code: 'PRECONDITION_FAILED', request_id: expect.any(String) },
      message: 'The slot "auto" is at revision 2, which this client has not read.',
    })
    expect(textIn(conflict.mine)).toBe('mine')
    expect(textIn(await tablet.saves.read({ slot: 'auto' }))).toBe('theirs')
  })

  it('is resolved over what is there, with the details of mine, and the next write goes on from there', async () => {
    const { conflict, phone } = await met()
    const merged = await conflict.resolve({ bytes: bytesOf('merged'), label: 'both' })
    expect(merged).toMatchObject({ revision: 3, device: 'phone', label: 'both' })
    expect(await phone.saves.write({ slot: 'auto', bytes: bytesOf('next') })).toMatchObject({ revision: 4 })
  })

  it('is resolved with the bytes of the call, although the game goes on in the same buffer', async () => {
    const { conflict, phone } = await met()
    const buffer = bytesOf('merged')
    void phone.saves.read({ slot: 'auto' })
    const resolving = conflict.resolve({ bytes: buffer })
    buffer.fill(0)
    await resolving
    expect(textIn(await phone.saves.read({ slot: 'auto' }))).toBe('merged')
  })

  it('stays when it is resolved with a text that no request can carry', async () => {
    const { conflict } = await met()
    expect(await caught(conflict.resolve({ bytes: bytesOf('merged'), device: '\ud800' }))).toBeInstanceOf(
      URIError,
    )
    expect(await conflict.resolve({ bytes: bytesOf('merged') })).toMatchObject({ revision: 3 })
  })

  it('is met again when somebody writes before it is resolved', async () => {
    const { conflict, tablet } = await met()
    await tablet.saves.write({ slot: 'auto', bytes: bytesOf('theirs again') })
    const again = await conflictOf(conflict.resolve({ bytes: bytesOf('merged') }))
    expect(again).toMatchObject({ current: { revision: 3 }, mine: { label: 'mine' } })
    expect(textIn(again.mine)).toBe('merged')
    expect(await again.resolve({ bytes: again.mine.bytes })).toMatchObject({ revision: 4 })
  })

  it('keeps what was not written at the service, if that is wanted', async () => {
    const { conflict, phone } = await met({ keep: true })
    expect(conflict.kept_revision).toBe(3)
    expect(textIn(await phone.saves.read({ slot: 'auto', revision: 3 }))).toBe('mine')
  })

  it('is met when the slot was deleted meanwhile, and resolving makes it anew', async () => {
    const { conflict, tablet } = await met()
    await tablet.saves.delete({ slot: 'auto' })
    const again = await conflictOf(conflict.resolve({ bytes: bytesOf('merged') }))
    expect(again.current).toBeUndefined()
    expect(again.message).toBe('The slot "auto" is missing, which this client has not read.')
    await again.resolve({ bytes: bytesOf('merged') })
    expect(textIn(await tablet.saves.read({ slot: 'auto' }))).toBe('merged')
  })

  it('is not met by a write that is to go over anything', async () => {
    const { phone } = await met()
    expect(
      await phone.saves.write({ slot: 'auto', bytes: bytesOf('mine') }, { overwrite: true }),
    ).toMatchObject({
      revision: 3,
    })
  })
})

describe('a write whose answer is lost', () => {
  it('is repeated, and done once', async () => {
    const { requests, fetch } = losing(2, isPut)
    const { saves } = await newClient(fetch)
    expect(await saves.write({ slot: 'auto', bytes: bytesOf('one') })).toMatchObject({ revision: 1 })
    expect(conditionsOf(requests)).toEqual(['*', '*', '*'])
  })

  it('is repeated also when it goes over anything, and does not go over what has come since', async () => {
    let isLost = true
    const [phone, tablet] = await devices(async (request) => {
      const response = await network()(request)
      if (!isPut(request) || !isLost) return response
      isLost = false
      await tablet?.saves.write({ slot: 'auto', bytes: bytesOf('theirs') }, { overwrite: true })
      throw new TypeError('The connection was cut.')
    }, network())
    expect(await phone?.saves.write({ slot: 'auto', bytes: 'mine' }, { overwrite: true })).toMatchObject({
      revision: 1,
    })
    expect(
      await conflictOf(phone?.saves.write({ slot: 'auto', bytes: 'next' }) ?? Promise.resolve()),
    ).toMatchObject({
      current: { revision: 2 },
    })
  })

  it('has the key of its repetitions, and each other write a key of its own', async () => {
    const { requests, fetch } = losing(2, isPut)
    const { saves } = await newClient(fetch, { retry: { ...atOnce, attempts: 2 } })
    const keep = { keep: true }
    expect(await caught(saves.write({ slot: 'auto', bytes: 'one', ...keep }))).toBeInstanceOf(NetworkError)
    expect(await saves.write({ slot: 'auto', bytes: 'one', ...keep })).toMatchObject({ revision: 1 })
    expect(await saves.write({ slot: 'auto', bytes: 'one', ...keep })).toMatchObject({ revision: 2 })
    await saves.write({ slot: 'auto', bytes: 'one' }, { overwrite: true })
    const keys = requests.map(({ headers }) => headers.get('Idempotency-Key'))
    expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]])
    expect(new Set(keys)).toHaveProperty('size', 3)
    expect(keys).not.toContain(null)
  })

  it('does not make the next write one in conflict with it', async () => {
    const { requests, fetch } = losing(1, isPut)
    const { saves } = await newClient(fetch, { retry: { attempts: 1 } })
    expect(await caught(saves.write({ slot: 'auto', bytes: bytesOf('one') }))).toBeInstanceOf(NetworkError)
    expect(await saves.write({ slot: 'auto', bytes: bytesOf('two') })).toMatchObject({ revision: 2 })
    expect(conditionsOf(requests)).toEqual(['*', '*', '"1"'])
  })

  it('is done once when the game writes the same again', async () => {
    const { fetch } = losing(1, isPut)
    const { saves } = await newClient(fetch, { retry: { attempts: 1 } })
    expect(await caught(saves.write({ slot: 'auto', bytes: bytesOf('one') }))).toBeInstanceOf(NetworkError)
    expect(await saves.write({ slot: 'auto', bytes: bytesOf('one') })).toMatchObject({ revision: 1 })
  })

  it('is done once when a conflict is resolved the same again', async () => {
    let isLost = false
    const [tablet, phone] = await devices(network(), async (request) => {
      const response = await network()(request)
      if (!isPut(request) || !isLost) return response
      throw new TypeError('The connection was cut.')
    })
    if (!phone || !tablet) throw new Error('no clients')
    await tablet.saves.write({ slot: 'auto', bytes: 'theirs' })
    const conflict = await conflictOf(phone.saves.write({ slot: 'auto', bytes: 'mine' }))
    isLost = true
    expect(await caught(conflict.resolve({ bytes: 'merged' }))).toBeInstanceOf(NetworkError)
    isLost = false
    expect(await conflict.resolve({ bytes: 'merged' })).toMatchObject({ revision: 2 })
  })

  it('does not hold up the next write when the service never takes it', async () => {
    const small = network(serviceWith({ MAX_SAVE_BYTES: '3' }))
    let isLost = true
    const { saves } = await newClient(
      async (request) => {
        if (request.method !== 'PUT' || !isLost) return small(request)
        isLost = false
        throw new TypeError('The connection was cut.')
      },
      { retry: { attempts: 1 } },
    )
    expect(await caught(saves.write({ slot: 'auto', bytes: bytesOf('too long') }))).toBeInstanceOf(
      NetworkError,
    )
    expect(await saves.write({ slot: 'auto', bytes: bytesOf('two') })).toMatchObject({ revision: 1 })
  })
})
