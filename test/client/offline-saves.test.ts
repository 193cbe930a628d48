import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createClient,
  isReadOnlySlot,
  NetworkError,
  type OfflineOptions,
  type OfflineSaves,
  type RefusedSave,
  SaveConflict,
  WriteConflict,
} from '#client'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, origin, serviceWith } from '../support/service.ts'
import { atOnce, network } from './client.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textIn = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes)
const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to be refused'),
    (error: unknown) => error,
  )

/** A backoff after which nothing is sent by itself while a test runs. */
const never = { minDelayMs: 1e8, maxDelayMs: 1e8 }

const opened: OfflineSaves[] = []
afterEach(() => {
  vi.unstubAllGlobals()
  for (const saves of opened.splice(0)) saves.close()
})

/** A device of a user: a store that survives restarts, and a network that can be down and lose answers. */
class Device {
  readonly store = new Map<string, Uint8Array>()
  /** What reached the service, as method, condition and text. */
  readonly sent: string[] = []
  /** The Idempotency-Keys of what reached the service. */
  readonly keys: (string | null)[] = []
  reads = 0
  isOnline = true
  /** How many of the next answers are lost. */
  lost = 0
  token: string
  readonly #reach: Fetch

  constructor(token: string, reach: Fetch = network()) {
    this.token = token
    this.#reach = reach
  }

  static async ofNewUser(reach?: Fetch): Promise<Device> {
    return new Device(await tokenFor(newNamedId('user')), reach)
  }

  client() {
    return createClient({
      baseUrl: origin,
      token: () => this.token,
      retry: { ...atOnce, attempts: 1 },
      fetch: (request) => this.#send(request),
    })
  }

  /** Starts the game: each start has only the store in common with the one before. */
  start(options: OfflineOptions = {}) {
    const saves = this.client().saves.offline(this.store, { backoff: atOnce, ...options })
    opened.push(saves)
    const conflicts: WriteConflict[] = []
    const errors: unknown[] = []
    saves.on('conflict', (conflict) => conflicts.push(conflict))
    saves.on('error', (error) => errors.push(error))
    return { saves, conflicts, errors }
  }

  async #send(request: Request): Promise<Response> {
    if (!this.isOnline) throw new TypeError('There is no network.')
    if (request.method === 'PUT') {
      this.keys.push(request.headers.get('Idempotency-Key'))
      const condition = request.headers.get('If-Match') ?? request.headers.get('If-None-Match')
      this.sent.push(`${condition} ${textIn({ bytes: new Uint8Array(await request.clone().arrayBuffer()) })}`)
    } else this.reads += 1
    const response = await this.#reach(request)
    if (this.lost-- <= 0) return response
    await response.body?.cancel()
    throw new TypeError('The connection was cut.')
  }
}

/** A device whose slot "auto" another one has written to meanwhile: its own write waits in conflict. */
async function inConflict() {
  const device = await Device.ofNewUser()
  const first = device.start()
  await first.saves.write({ slot: 'auto', bytes: bytesOf('one') })
  await first.saves.flush()
  await device.client().saves.write({ slot: 'auto', bytes: bytesOf('theirs') }, { overwrite: true })
  await first.saves.write({ slot: 'auto', bytes: bytesOf('mine'), label: 'mine' })
  await first.saves.flush()
  return { device, ...first }
}

/** A device, and a service in which a slot becomes the studio's. */
async function deviceOfBefore() {
  const reach = network()
  let isReadOnly = false
  const written: string[] = []
  const device = await Device.ofNewUser(async (request) => {
    const slot = new URL(request.url).pathname.split('/').at(-1) ?? ''
    if (request.method !== 'PUT' || slot !== 'auto' || !isReadOnly) {
      written.push(slot)
      return reach(request)
    }
    return reach(new Request(request.url.replace(slot, `server.${slot}`), request))
  })
  const becomesReadOnly = () => {
    isReadOnly = true
  }
  device.isOnline = true
  return { device, becomesReadOnly, reads: (slot: string) => written.includes(slot) }
}

/** What the service has in a slot. */
const atService = async (device: Device, slot = 'auto') => textIn(await device.client().saves.read({ slot }))

describe('a save that is written without a network', () => {
  it('waits on the device, and is sent when the network is back, as all that it is', async () => {
    const device = await Device.ofNewUser()
    device.isOnline = false
    const { saves } = device.start()
    await saves.write({
      slot: 'auto',
      bytes: bytesOf('one'),
      device: 'Ada’s phone',
      played_seconds: 60,
      mime_type: 'text/plain',
    })
    expect(await saves.waiting()).toEqual(['auto'])
    expect(await caught(saves.flush())).toBeInstanceOf(NetworkError)
    device.isOnline = true
    await saves.flush()
    expect(await saves.waiting()).toEqual([])
    expect(await device.client().saves.read({ slot: 'auto' })).toMatchObject({
      revision: 1,
      device: 'Ada’s phone',
      played_seconds: 60,
      mime_type: 'text/plain',
    })
  })

  it('is sent by itself, after a time that the backoff gives', async () => {
    const device = await Device.ofNewUser()
    device.isOnline = false
    const { saves, errors } = device.start()
    const saved = vi.fn()
    saves.on('saved', saved)
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(2))
    device.isOnline = true
    await vi.waitFor(() => expect(saved).toHaveBeenCalledOnce())
    expect(saved.mock.calls).toEqual([[expect.objectContaining({ slot: 'auto', revision: 1 })]])
  })

  it('is sent after a restart', async () => {
    const device = await Device.ofNewUser()
    device.isOnline = false
    const first = device.start()
    await first.saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await first.saves.write({ slot: 'manual', bytes: bytesOf('two') })
    first.saves.close()
    device.isOnline = true
    const { saves } = device.start()
    await vi.waitFor(async () => expect(await saves.waiting()).toEqual([]))
    expect([await atService(device), await atService(device, 'manual')]).toEqual(['one', 'two'])
  })

  it('is replaced by the next, which keeps the revision that both replace', async () => {
    const device = await Device.ofNewUser()
    const { saves } = device.start()
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await saves.flush()
    vi.stubGlobal('navigator', { onLine: false }) // so that nothing is tried
    for (const text of ['two', 'three', 'four']) await saves.write({ slot: 'auto', bytes: bytesOf(text) })
    saves.close()
    vi.unstubAllGlobals()
    await device.start().saves.flush()
    expect(device.sent).toEqual(['* one', '"1" four'])
  })

  it('can be read, as can what was sent or read last', async () => {
    const device = await Device.ofNewUser()
    const { saves } = device.start()
    await device.client().saves.write({ slot: 'manual', bytes: bytesOf('theirs'), label: 'L' })
    await saves.read({ slot: 'manual' })
    device.isOnline = false
    expect(await saves.read({ slot: 'manual' })).toMatchObject({ revision: 1, label: 'L', is_waiting: false })
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    const read = await saves.read({ slot: 'auto' })
    expect(read).toMatchObject({ slot: 'auto', revision: null, device: null, is_waiting: true })
    expect(textIn(read)).toBe('one')
    expect(await caught(saves.read({ slot: 'other' }))).toBeInstanceOf(NetworkError)
  })

  it.each([
    ['waits', false],
    ['is saved', true],
  ])('is not replaced by an older one that is read while it %s', async (_, isSent) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let isHolding = false
    const device = await Device.ofNewUser(async (request) => {
      const answer = await network()(request)
      if (isHolding && request.method === 'GET') await held
      return answer
    })
    const { saves, conflicts } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await saves.flush()
    isHolding = true
    const reading = saves.read({ slot: 'auto' })
    await vi.waitFor(() => expect(device.reads).toBe(1))
    device.isOnline = isSent
    await saves.write({ slot: 'auto', bytes: bytesOf('two') })
    if (isSent) await saves.flush()
    release()
    expect(textIn(await reading)).toBe('two')
    device.isOnline = true
    await saves.write({ slot: 'auto', bytes: bytesOf('three') })
    await saves.flush()
    expect(conflicts).toEqual([])
    isHolding = false
    expect(await atService(device)).toBe('three')
  })

  it('is over what was read', async () => {
    const device = await Device.ofNewUser()
    const { saves, conflicts } = device.start()
    await device.client().saves.write({ slot: 'auto', bytes: bytesOf('theirs') })
    expect(textIn(await saves.read({ slot: 'auto' }))).toBe('theirs')
    await saves.write({ slot: 'auto', bytes: bytesOf('mine') })
    await saves.flush()
    expect(conflicts).toEqual([])
    expect(device.sent.at(-1)).toBe('"1" mine')
  })
})

describe('a save whose answer was lost', () => {
  it('is repeated before a newer one is sent, so that there is no conflict with it', async () => {
    const device = await Device.ofNewUser()
    device.lost = 1
    const { saves, conflicts } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await vi.waitFor(() => expect(device.sent).toEqual(['* one']))
    await saves.write({ slot: 'auto', bytes: bytesOf('two') })
    await saves.flush()
    expect(device.sent).toEqual(['* one', '* one', '"1" two'])
    expect(conflicts).toEqual([])
  })

  it('is repeated also after a restart', async () => {
    const device = await Device.ofNewUser()
    device.lost = 1
    const first = device.start()
    const lost = new Promise((resolve) => first.saves.on('error', resolve))
    await first.saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await lost
    device.isOnline = false
    first.saves.close()
    const second = device.start()
    await second.saves.write({ slot: 'auto', bytes: bytesOf('two') })
    second.saves.close()
    device.isOnline = true
    device.sent.length = 0
    const third = device.start()
    await third.saves.flush()
    expect(device.sent).toEqual(['* one', '"1" two'])
    expect(third.conflicts).toEqual([])
    const [first_key, repeated, next] = device.keys
    expect([typeof first_key, repeated === first_key, next === first_key]).toEqual(['string', true, false])
  })

  it('is acknowledged although another device has written over it meanwhile, and the next write meets that', async () => {
    const device = await Device.ofNewUser()
    device.lost = 1
    const { saves, conflicts } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: 'one' })
    await vi.waitFor(() => expect(device.sent).toEqual(['* one']))
    await device.client().saves.write({ slot: 'auto', bytes: 'theirs' }, { overwrite: true })
    await saves.flush()
    expect(conflicts).toEqual([])
    await saves.write({ slot: 'auto', bytes: 'two' })
    await saves.flush()
    expect(conflicts).toMatchObject([{ current: { revision: 2 } }])
    expect(await atService(device)).toBe('theirs')
  })
})

describe('a round that is under way', () => {
  /** A device whose requests wait until they are released, by what they get instead of an answer of the service. */
  async function held() {
    const next: ((answer?: Response | Error) => void)[] = []
    const device = await Device.ofNewUser(async (request) => {
      const instead = await new Promise<Response | Error | undefined>((resolve) => next.push(resolve))
      if (instead instanceof Error) throw instead
      return instead ?? network()(request)
    })
    const release = (answer?: Response | Error) =>
      vi.waitFor(() => {
        const go = next.shift()
        if (!go) throw new Error('no request')
        go(answer)
      })
    return { device, release }
  }

  it('and fails is not the one that a flush waits for: the network is back', async () => {
    const { device, release } = await held()
    const { saves } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: 'one' })
    await vi.waitFor(() => expect(device.sent).toHaveLength(1))
    const flushing = saves.flush()
    await release(new TypeError('There was no network.'))
    await release()
    await flushing
    expect(await saves.waiting()).toEqual([])
  })

  it('changes nothing of what was written after the slot was forgotten', async () => {
    const { device, release } = await held()
    const { saves, conflicts } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: 'forgotten' })
    await vi.waitFor(() => expect(device.sent).toHaveLength(1))
    await saves.forget({ slot: 'auto' })
    await saves.write({ slot: 'auto', bytes: 'new' })
    await release()
    await release()
    await vi.waitFor(() => expect(conflicts).toMatchObject([{ current: { revision: 1 } }]))
    expect(device.sent).toEqual(['* forgotten', '* new'])
  })

  it.each([
    ['holds what the service asks to wait, also when the network returns', '1000', true],
    ['that failed begins again when the network returns', undefined, false],
  ])('%s', async (_, retryAfter, isHeld) => {
    vi.stubGlobal('navigator', { onLine: true })
    const { device, release } = await held()
    const problem = { code: 'UNAVAILABLE', status: 503, title: '', detail: '', request_id: 'id' }
    const unavailable = () =>
      Response.json(problem, { status: 503, headers: retryAfter ? { 'Retry-After': retryAfter } : {} })
    const { saves, errors } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: 'one' })
    await release(unavailable())
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    const scope: Pick<EventTarget, 'dispatchEvent'> = globalThis
    scope.dispatchEvent(new Event('online'))
    const flushing = saves.flush().then(
      () => 'sent',
      () => 'refused',
    )
    await release(unavailable()) // of the flush, or of the round that the network's return has begun
    if (!isHeld) await release()
    expect(await flushing).toBe(isHeld ? 'refused' : 'sent')
  })
})

describe('a conflict', () => {
  it('is told once, and once more after a restart, and what waits stays', async () => {
    const { device, saves, conflicts } = await inConflict()
    await saves.flush()
    await saves.write({ slot: 'manual', bytes: bytesOf('other') })
    await saves.flush()
    expect(conflicts).toMatchObject([{ slot: 'auto', current: { revision: 2 }, mine: { label: 'mine' } }])
    expect(conflicts[0]).toBeInstanceOf(SaveConflict)
    expect(await saves.waiting()).toEqual(['auto'])
    saves.close()
    const restarted = device.start()
    await vi.waitFor(() => expect(restarted.conflicts).toHaveLength(1))
    expect(restarted.conflicts.map(({ mine }) => textIn(mine))).toEqual(['mine'])
    expect(device.sent.filter((request) => request.endsWith('mine'))).toHaveLength(1)
    expect(await atService(device)).toBe('theirs')
  })

  it('is resolved, and the next write goes on from there', async () => {
    const { device, saves, conflicts } = await inConflict()
    expect(await conflicts[0]?.resolve({ bytes: bytesOf('merged') })).toMatchObject({
      revision: 3,
      label: 'mine',
    })
    expect(await saves.conflicts()).toEqual([])
    await saves.write({ slot: 'auto', bytes: bytesOf('next') })
    await saves.flush()
    expect(await atService(device)).toBe('next')
    expect(conflicts).toHaveLength(1)
    expect(
      await caught(conflicts[0]?.resolve({ bytes: bytesOf('late') }) ?? Promise.resolve()),
    ).toMatchObject({
      message: 'The conflict of the slot "auto" has been resolved already.',
    })
  })

  it('that was resolved without a network is sent later', async () => {
    const { device, saves, conflicts } = await inConflict()
    device.isOnline = false
    expect(
      await caught(conflicts[0]?.resolve({ bytes: bytesOf('merged') }) ?? Promise.resolve()),
    ).toBeInstanceOf(NetworkError)
    saves.close()
    device.isOnline = true
    await device.start().saves.flush()
    expect(await atService(device)).toBe('merged')
  })

  it('is met again, by who resolves it, when another device was faster', async () => {
    const { device, saves, conflicts } = await inConflict()
    await device.client().saves.write({ slot: 'auto', bytes: bytesOf('theirs again') }, { overwrite: true })
    const again = await caught(conflicts[0]?.resolve({ bytes: bytesOf('merged') }) ?? Promise.resolve())
    if (!(again instanceof WriteConflict)) throw again
    expect(again.current).toMatchObject({ revision: 3 })
    await saves.flush()
    expect(conflicts).toHaveLength(1)
    expect(await again.resolve({ bytes: again.mine.bytes })).toMatchObject({ revision: 4 })
    expect(await atService(device)).toBe('merged')
  })

  it('is not resolved with what the game has replaced since it was told', async () => {
    const { device, saves, conflicts } = await inConflict()
    await saves.write({ slot: 'auto', bytes: bytesOf('newer') })
    const again = await caught(conflicts[0]?.resolve({ bytes: bytesOf('merged') }) ?? Promise.resolve())
    if (!(again instanceof WriteConflict)) throw again
    expect(textIn(again.mine)).toBe('newer')
    await again.resolve({ bytes: again.mine.bytes })
    expect(await atService(device)).toBe('newer')
  })

  it('ends when the player takes the save of the other device', async () => {
    const { saves, conflicts } = await inConflict()
    await saves.forget({ slot: 'auto' })
    expect(textIn(await saves.read({ slot: 'auto' }))).toBe('theirs')
    await saves.write({ slot: 'auto', bytes: bytesOf('next') })
    await saves.flush()
    expect(await saves.waiting()).toEqual([])
    expect(conflicts).toHaveLength(1)
  })

  it('of a slot that was deleted has nothing current', async () => {
    const device = await Device.ofNewUser()
    const { saves, conflicts } = device.start()
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await saves.flush()
    await device.client().saves.delete({ slot: 'auto' })
    await saves.write({ slot: 'auto', bytes: bytesOf('two') })
    await saves.flush()
    expect(conflicts).toMatchObject([{ current: undefined }])
    await conflicts[0]?.resolve({ bytes: bytesOf('two') })
    expect(await atService(device)).toBe('two')
  })
})

describe('what the service refuses', () => {
  it('stays, is told, holds up no other slot, and is replaced by what can be taken', async () => {
    const device = await Device.ofNewUser(network(serviceWith({ MAX_SAVE_BYTES: '3' })))
    const { saves, errors } = device.start()
    await saves.write({ slot: 'auto', bytes: bytesOf('too long') })
    await saves.write({ slot: 'manual', bytes: bytesOf('two') })
    expect(await caught(saves.flush())).toMatchObject({ code: 'BODY_TOO_LARGE' })
    expect(errors.length).toBeGreaterThan(0)
    expect(await saves.waiting()).toEqual(['auto'])
    expect(await atService(device, 'manual')).toBe('two')
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await saves.flush()
    expect(await atService(device)).toBe('one')
  })

  it('because only the studio’s servers write the slot is given to the game, once, and kept no longer', async () => {
    const { device, reads, becomesReadOnly } = await deviceOfBefore()
    const first = device.start()
    await first.saves.write({ slot: 'auto', bytes: bytesOf('mine'), label: 'mine' })
    becomesReadOnly()
    expect(await caught(first.saves.flush()), 'nobody listens').toMatchObject({ code: 'SAVE_READ_ONLY' })
    expect([await first.saves.waiting(), first.errors.length > 0]).toEqual([['auto'], true])
    first.saves.close()
    const again = device.start()
    const refused: RefusedSave[] = []
    again.saves.on('refused', (one) => refused.push(one))
    await again.saves.write({ slot: 'manual', bytes: bytesOf('other') })
    await again.saves.flush()
    expect(refused.map(({ slot, mine, error }) => [slot, textIn(mine), mine.label, error.code])).toEqual([
      ['auto', 'mine', 'mine', 'SAVE_READ_ONLY'],
    ])
    expect(again.errors).toEqual([])
    expect(await again.saves.waiting()).toEqual([])
    expect(reads('manual')).toBe(true)
    await again.saves.flush()
    expect(refused).toHaveLength(1)
  })

  it('with what was written while it was refused: both are given to the game', async () => {
    const { device, becomesReadOnly } = await deviceOfBefore()
    const { saves } = device.start()
    becomesReadOnly()
    const refused: string[] = []
    saves.on('refused', ({ mine }) => {
      refused.push(textIn(mine))
      if (refused.length === 1) writing = saves.write({ slot: 'auto', bytes: bytesOf('two') })
    })
    let writing: Promise<void> | undefined
    await saves.write({ slot: 'auto', bytes: bytesOf('one') })
    await saves.flush()
    await writing
    await saves.flush()
    expect([refused, await saves.waiting()]).toEqual([['one', 'two'], []])
  })

  it('is never kept for a slot of the studio’s servers', async () => {
    const { saves } = (await Device.ofNewUser()).start()
    const write = saves.write({ slot: 'server.bag', bytes: bytesOf('gold') })
    expect(await caught(write)).toBeInstanceOf(TypeError)
    expect(await saves.waiting()).toEqual([])
    expect([isReadOnlySlot('server.bag'), isReadOnlySlot('servers')]).toEqual([true, false])
  })

  it('is not held back for when it was sent without an answer before', async () => {
    const device = await Device.ofNewUser(network(serviceWith({ MAX_SAVE_BYTES: '3' })))
    device.lost = 1
    const { saves } = device.start({ backoff: never })
    await saves.write({ slot: 'auto', bytes: bytesOf('too long') })
    await vi.waitFor(() => expect(device.sent).toEqual(['* too long']))
    await saves.write({ slot: 'auto', bytes: bytesOf('two') })
    await saves.flush()
    expect(device.sent).toEqual(['* too long', '* too long', '* two'])
    expect(await saves.waiting()).toEqual([])
  })

  it.each(['', '.', '..', 'a/b', 'ä', 'x'.repeat(65)])('as a slot (%j) is never kept', async (slot) => {
    const { saves } = (await Device.ofNewUser()).start()
    expect(await caught(saves.write({ slot, bytes: bytesOf('one') }))).toBeInstanceOf(TypeError)
  })

  it('as a text that is no Unicode is never kept', async () => {
    const { saves } = (await Device.ofNewUser()).start()
    expect(
      await caught(saves.write({ slot: 'auto', bytes: bytesOf('one'), label: '\ud800' })),
    ).toBeInstanceOf(URIError)
    expect(await saves.waiting()).toEqual([])
  })
})

describe('a device with several players', () => {
  it('gives nobody the saves of another, and sends nothing with the token of another', async () => {
    const [ada, bob] = ['ada', 'bob'].map(newNamedId)
    if (!ada || !bob) throw new Error('no names')
    const device = new Device(await tokenFor(ada))
    device.isOnline = false
    const first = device.start({ user: ada })
    await first.saves.write({ slot: 'auto', bytes: bytesOf('of Ada') })
    device.token = await tokenFor(bob)
    device.isOnline = true
    expect(await caught(first.saves.flush())).toMatchObject({
      message: 'The token is of another user than the saves.',
    })
    expect(device.sent).toEqual([])
    first.saves.close()
    const second = device.start()
    expect(await second.saves.waiting()).toEqual([])
    await second.saves.write({ slot: 'auto', bytes: bytesOf('of Bob') })
    await second.saves.flush()
    expect(device.sent).toEqual(['* of Bob'])
    device.token = await tokenFor(ada)
    await device.start().saves.flush()
    expect(device.sent).toEqual(['* of Bob', '* of Ada'])
  })

  it('asks for the user when there is no token', async () => {
    const device = await Device.ofNewUser()
    device.token = 'no token'
    const { saves } = device.start()
    expect(await caught(saves.write({ slot: 'auto', bytes: bytesOf('one') }))).toMatchObject({
      message: 'The token names no user: give the option user.',
    })
    await device.start({ user: 'ada' }).saves.write({ slot: 'auto', bytes: bytesOf('one') })
  })
})

describe('two queues over one store', () => {
  it('send each save once, and lose none', async () => {
    const device = await Device.ofNewUser()
    const [one, other] = [device.start(), device.start()]
    const slots = ['a', 'b', 'c', 'd']
    await Promise.all(
      slots.map((slot, index) => [one, other][index % 2]?.saves.write({ slot, bytes: bytesOf(slot) })),
    )
    await Promise.all([one.saves.flush(), other.saves.flush()])
    expect(device.sent.sort()).toEqual(slots.map((slot) => `* ${slot}`))
    expect(await one.saves.waiting()).toEqual([])
    await one.saves.write({ slot: 'a', bytes: bytesOf('one') })
    await other.saves.write({ slot: 'a', bytes: bytesOf('other') })
    await Promise.all([one.saves.flush(), other.saves.flush()])
    expect([one.conflicts, other.conflicts]).toEqual([[], []])
    expect(await atService(device, 'a')).toBe('other')
  })
})

it('sends nothing more when it is closed, and what waits stays', async () => {
  const device = await Device.ofNewUser()
  const ended = new AbortController()
  const { saves } = device.start({ signal: ended.signal })
  ended.abort()
  await saves.write({ slot: 'auto', bytes: bytesOf('one') })
  await caught(saves.flush())
  expect(device.sent).toEqual([])
  expect(await saves.waiting()).toEqual(['auto'])
})
