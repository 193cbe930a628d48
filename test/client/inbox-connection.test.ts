import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NetworkError } from '../../client/src/errors.ts'
import { Bench, serviceError, tokenFor } from './inbox/bench.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function comeOnline(): void {
  const scope: Pick<EventTarget, 'dispatchEvent'> = globalThis
  scope.dispatchEvent(new Event('online'))
}

async function connected(...options: ConstructorParameters<typeof Bench>): Promise<Bench> {
  const bench = new Bench(...options)
  await bench.accept()
  expect(bench.inbox.state).toEqual({ name: 'connected' })
  return bench
}

describe('an inbox that connects', () => {
  it('lists first, and opens a socket with its token as a subprotocol and its seq in the address', async () => {
    const bench = await connected({}, ({ model }) => model.publish())
    expect(bench.socket.url).toBe('wss://storage.example/v1/notifications/ws?after=1')
    expect(bench.socket.protocols).toEqual(['notifications.v1', 'bearer.header.payload.first'])
    expect(bench.inbox.snapshot).toMatchObject({ total: 1, unread: 1, seq: 1, has_more: false })
    expect(bench.told).toEqual([])
    expect(bench.states).toEqual([{ name: 'connected' }])
  })

  it('gives up a socket that hangs once the service answers requests, and connects', async () => {
    const bench = new Bench({ ping: { timeoutMs: 600_000 } })
    await bench.pass()
    bench.socket.readyState = 0
    const away = new NetworkError('No answer.')
    bench.service.check.mockRejectedValueOnce(away).mockRejectedValueOnce(away)
    await bench.pass(7_999)
    expect(bench.service.check).toHaveBeenCalledTimes(3)
    expect(bench.socket.isClosed).toBe(false)
    await bench.pass(1)
    expect(bench.socket.isClosed).toBe(true)
    await bench.pass(1_000)
    await bench.accept()
    expect(bench.inbox.state).toEqual({ name: 'connected' })
    expect(bench.sockets).toHaveLength(2)
    await bench.pass(10_000)
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('asks nothing beside a socket that opens in time, and waits for one while nothing answers', async () => {
    const bench = await connected()
    await bench.pass(10_000)
    expect(bench.service.check).not.toHaveBeenCalled()
    const slow = new Bench({ ping: { timeoutMs: 600_000 } })
    slow.service.check.mockReturnValue(new Promise(() => {}))
    await slow.pass()
    slow.socket.readyState = 0
    await slow.pass(60_000)
    expect(slow.sockets).toHaveLength(1)
    await slow.accept()
    expect(slow.inbox.state).toEqual({ name: 'connected' })
  })

  it('keeps a socket that has opened on a slow network, whatever requests say', async () => {
    const bench = new Bench({ ping: { timeoutMs: 600_000 } })
    await bench.pass()
    bench.socket.readyState = 0
    bench.service.check.mockImplementation(() => new Promise((resolve) => setTimeout(resolve, 1_500)))
    await bench.pass(5_000)
    bench.socket.readyState = 1
    await bench.pass(20_000)
    await bench.accept()
    expect(bench.sockets).toHaveLength(1)
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('goes on after the last seq, and tells what it has missed once', async () => {
    const bench = await connected()
    await bench.change((model) => model.publish())
    await bench.close(1006)
    bench.model.publish()
    await bench.pass(1_000)
    expect(bench.socket.url).toMatch(/after=1$/)
    await bench.accept()
    for (const event of bench.model.since(0)) bench.socket.receive(event) // all of it again
    expect(bench.told).toEqual(['000001', '000002'])
    expect(bench.service.list).toHaveBeenCalledTimes(1)
  })

  it('lists again when it has missed too much, and is connected when it has the list', async () => {
    const bench = await connected()
    await bench.close(1006)
    for (let count = 0; count < 9; count++) bench.model.publish()
    await bench.pass(1_000)
    const list = Promise.withResolvers<ReturnType<typeof bench.model.page>>()
    bench.service.list.mockReturnValueOnce(list.promise)
    await bench.accept()
    await bench.change((model) => model.publish())
    expect(bench.inbox.state).toEqual({ name: 'connecting' })
    list.resolve(bench.model.page(100, 0))
    await bench.pass()
    expect(bench.inbox.state).toEqual({ name: 'connected' })
    expect(bench.inbox.snapshot).toMatchObject({ total: 10, unread: 10, seq: 10 })
    expect(bench.told).toEqual(Array.from({ length: 10 }, (_, index) => String(index + 1).padStart(6, '0')))
  })

  it('lists again when a socket cannot go on, although its seq is the one of the list', async () => {
    const bench = await connected()
    await bench.close(1006)
    await bench.pass(1_000)
    bench.socket.receive({ type: 'ready', seq: 0, unread: 0, data: { recovered: false } })
    await bench.pass()
    expect(bench.service.list).toHaveBeenCalledTimes(2)
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('drops a socket that leaves an event out, and gets it with the next one', async () => {
    const bench = await connected()
    bench.model.publish()
    await bench.change((model) => model.publish())
    expect(bench.socket.isClosed).toBe(true)
    await bench.pass(1_000)
    await bench.accept()
    expect(bench.told).toEqual(['000001', '000002'])
  })

  it('drops a socket that sends what is no message', async () => {
    const bench = await connected()
    bench.socket.receive('what?')
    await bench.pass()
    expect(bench.errors).toMatchObject([{ code: 'UNREADABLE' }])
    expect(bench.inbox.state).toMatchObject({ name: 'waiting', reason: 'retry' })
  })

  it('goes on with a notification whose data is nested as deep as JSON may be', async () => {
    const bench = await connected()
    const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`)
    const events: unknown[] = []
    bench.inbox.on('notification', ({ data }) => events.push(data))
    bench.model.publish()
    bench.socket.receive({
      type: 'notification',
      seq: 1,
      unread: 1,
      data: { id: '000001', type: 'shop.gift', data: deep, state: 'unread', created_at: 1 },
    })
    await bench.pass()
    expect(events).toHaveLength(1)
    expect(bench.errors).toEqual([])
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('reads the list again after a change whose data it cannot read, on the same socket', async () => {
    const bench = await connected()
    bench.model.publish()
    bench.socket.receive({ type: 'notification', seq: 1, unread: 1, data: { state: 'unread' } })
    await bench.pass()
    expect(bench.told).toEqual(['000001'])
    expect(bench.errors).toEqual([])
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('reads the list again after a change of an unknown kind, on the same socket', async () => {
    const bench = await connected()
    bench.model.publish()
    bench.socket.receive({ type: 'renamed', seq: 1, unread: 1, data: {} })
    await bench.pass()
    expect(bench.told).toEqual(['000001'])
    expect(bench.inbox.snapshot).toMatchObject({ seq: 1, unread: 1, total: 1 })
    expect(bench.service.list).toHaveBeenCalledTimes(2)
    await bench.change((model) => model.publish())
    expect(bench.told).toEqual(['000001', '000002'])
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })
})

describe('what an inbox is told', () => {
  const ids = ({ inbox }: Bench) => inbox.snapshot?.notifications.map(({ id }) => id)
  const publishFour = ({ model }: Bench) => {
    for (let count = 0; count < 4; count++) model.publish()
  }

  it('takes away what was deleted together', async () => {
    const bench = await connected({}, publishFour)
    await bench.change((model) => model.deleteMany(['000002', '000004']))
    expect(ids(bench)).toEqual(['000003', '000001'])
    expect(bench.inbox.snapshot).toMatchObject({ total: 2, unread: 2, seq: 5 })
    await bench.change((model) => model.deleteMany(null))
    expect(bench.inbox.snapshot).toMatchObject({ notifications: [], total: 0, unread: 0, seq: 6 })
    expect(bench.service.list).toHaveBeenCalledTimes(1)
  })

  it('takes away what was deleted together while it was away', async () => {
    const bench = await connected({}, publishFour)
    await bench.close(1006)
    bench.model.deleteMany(['000001', '000003'])
    bench.model.publish()
    bench.model.deleteMany(['000005', '000002'])
    await bench.pass(1_000)
    await bench.accept()
    expect(ids(bench)).toEqual(['000004'])
    expect(bench.inbox.snapshot).toMatchObject({ total: 1, unread: 1, seq: 7 })
    expect(bench.told).toEqual(['000005'])
    expect(bench.service.list).toHaveBeenCalledTimes(1)
  })

  it('counts what was deleted together and is not loaded', async () => {
    const bench = await connected({ limit: 1 }, publishFour)
    await bench.change((model) => model.deleteMany(['000001', '000002']))
    expect(ids(bench)).toEqual(['000004'])
    expect(bench.inbox.snapshot).toMatchObject({ total: 2, unread: 2, has_more: true })
  })

  const turn = {
    id: '000009',
    type: 'game.turn',
    data: { number: 7 },
    state: 'unread',
    created_at: 1_800_000_000,
  }

  it.each([
    ['no seq', {}],
    ['a seq', { seq: 4, unread: 4 }],
  ])('emits a signal with %s, which changes neither the list nor the seq', async (_, numbers) => {
    const bench = await connected({}, publishFour)
    const before = bench.inbox.snapshot
    bench.socket.receive({ type: 'signal', ...numbers, data: turn })
    await bench.pass()
    expect(bench.signals).toEqual([turn])
    expect(bench.inbox.snapshot).toBe(before)
    expect(bench.told).toEqual([])
    await bench.change((model) => model.publish())
    expect(bench.inbox.snapshot).toMatchObject({ seq: 5, total: 5 })
    expect(bench.errors).toEqual([])
  })

  it('emits a signal also while it reads the list again', async () => {
    const bench = await connected()
    await bench.close(1006)
    for (let count = 0; count < 9; count++) bench.model.publish()
    await bench.pass(1_000)
    const list = Promise.withResolvers<ReturnType<typeof bench.model.page>>()
    bench.service.list.mockReturnValueOnce(list.promise)
    await bench.accept()
    bench.socket.receive({ type: 'signal', data: turn })
    expect(bench.signals).toEqual([turn])
    list.resolve(bench.model.page(100, 0))
    await bench.pass()
    expect(bench.inbox.snapshot).toMatchObject({ seq: 9, total: 9 })
  })

  it('ignores a message without a seq that it does not know, and loses no seq', async () => {
    const bench = await connected({}, publishFour)
    bench.socket.receive({ type: 'typing', data: { by: 'grace' } })
    await bench.change((model) => model.publish())
    expect(bench.inbox.state).toEqual({ name: 'connected' })
    expect(bench.inbox.snapshot).toMatchObject({ seq: 5, total: 5 })
    expect(bench.errors).toEqual([])
  })

  it('has notifications of any type, and of a state that it does not know', async () => {
    const bench = await connected()
    const seen = { ...turn, type: 'later', data: { deep: [1] }, state: 'archived' }
    bench.socket.receive({ type: 'notification', seq: 1, unread: 0, data: seen })
    expect(bench.inbox.snapshot).toMatchObject({ notifications: [seen], seq: 1, total: 1 })
  })
})

describe('an inbox whose connection ends', () => {
  it('waits a random time that doubles, up to thirty seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const bench = await connected()
    for (const delay_ms of [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      await bench.close(1006)
      expect(bench.inbox.state).toMatchObject({ name: 'waiting', reason: 'retry', delay_ms })
      await bench.pass(delay_ms)
      await bench.accept()
    }
    await bench.pass(10_000) // it has lasted
    bench.socket.receive('pong')
    await bench.close(1006)
    expect(bench.inbox.state).toMatchObject({ delay_ms: 500 })
  })

  it('is asked for a sign of life after thirty seconds, and is given up ten seconds later', async () => {
    const bench = await connected()
    await bench.pass(30_000)
    expect(bench.socket.sent).toEqual(['ping'])
    bench.socket.receive('pong')
    await bench.pass(30_000)
    expect(bench.socket.sent).toEqual(['ping', 'ping'])
    await bench.pass(9_999)
    expect(bench.socket.isClosed).toBe(false)
    await bench.pass(1)
    expect(bench.socket.isClosed).toBe(true)
    expect(bench.errors).toMatchObject([{ code: 'CONNECTION_LOST' }])
    await bench.pass(1_000)
    expect(bench.sockets).toHaveLength(2)
  })

  it('is given up at once when its end has begun, and nothing is sent on it', async () => {
    const bench = await connected()
    bench.socket.readyState = 2
    await bench.pass(30_000)
    expect(bench.socket.sent).toEqual([])
    expect(bench.errors).toMatchObject([{ code: 'CONNECTION_LOST' }])
  })

  it('gives up a socket that is not opened in ten seconds, whatever else answers', async () => {
    const bench = new Bench()
    bench.service.check.mockRejectedValue(new NetworkError('No answer.'))
    await bench.pass(9_999)
    expect(bench.socket.isClosed).toBe(false)
    bench.service.check.mockResolvedValue()
    await bench.pass(1)
    expect(bench.socket.isClosed).toBe(true)
    expect(bench.errors).toMatchObject([{ code: 'SOCKET_NOT_OPENED' }])
  })

  it('stays away when newer sockets have replaced it, until the application asks', async () => {
    const bench = await connected()
    await bench.close(4429)
    await bench.pass(3_600_000)
    expect(bench.inbox.state).toMatchObject({
      name: 'waiting',
      reason: 'replaced',
      error: { code: 'REPLACED' },
    })
    expect(bench.sockets).toHaveLength(1)
    bench.inbox.reconnect()
    await bench.accept()
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('ends with an empty list when the user has been erased', async () => {
    const bench = await connected({}, ({ model }) => model.publish())
    await bench.close(4410)
    expect(bench.inbox.state).toMatchObject({
      name: 'closed',
      reason: 'erased',
      error: { code: 'USER_ERASED' },
    })
    expect(bench.inbox.snapshot).toMatchObject({ notifications: [], total: 0, unread: 0 })
    await bench.pass(3_600_000)
    expect(bench.sockets).toHaveLength(1)
  })
})

describe('an inbox whose token ends', () => {
  it('connects at once with a new token after 4401', async () => {
    const bench = await connected()
    bench.service.token.mockResolvedValue('header.payload.second')
    await bench.close(4401)
    expect(bench.service.token).toHaveBeenLastCalledWith({ renew: true })
    expect(bench.socket.protocols).toEqual(['notifications.v1', 'bearer.header.payload.second'])
    await bench.accept()
    expect(bench.errors).toEqual([])
  })

  it('renews it thirty seconds before it expires', async () => {
    const [first, second] = [tokenFor('first', 3_600), tokenFor('second', 7_200)]
    const bench = await connected({ ping: { intervalMs: 1e8 } }, ({ service }) =>
      service.token.mockResolvedValue(first),
    )
    await bench.pass(3_560_000)
    expect(bench.sockets).toHaveLength(1)
    bench.service.token.mockResolvedValue(second)
    await bench.pass(10_000)
    expect(bench.sockets[0]?.isClosed).toBe(true)
    await bench.accept()
    expect(bench.socket.protocols[1]).toBe(`bearer.${second}`)
    expect(bench.inbox.state).toEqual({ name: 'connected' })
    expect(bench.errors).toEqual([])
  })

  it('keeps its socket when the login has no other token yet', async () => {
    const token = tokenFor('only', 100)
    const bench = await connected({ ping: { intervalMs: 1e8 } }, ({ service }) =>
      service.token.mockResolvedValue(token),
    )
    await bench.pass(99_000)
    expect(bench.service.token).toHaveBeenLastCalledWith({ renew: true })
    expect(bench.sockets).toHaveLength(1)
    expect(bench.socket.isClosed).toBe(false)
  })

  it('renews no token that has expired by the clock of this device', async () => {
    const bench = await connected({}, ({ service }) => service.token.mockResolvedValue(tokenFor('late', -5)))
    expect(bench.service.token).toHaveBeenCalledTimes(1)
    expect(bench.sockets).toHaveLength(1)
  })
})

describe('an inbox that is refused', () => {
  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
  ] as const)('ends with the error when the service answers %s', async (status, code) => {
    const bench = new Bench()
    bench.service.check.mockRejectedValue(serviceError(status, code))
    await bench.pass()
    await bench.close(1006)
    expect(bench.inbox.state).toMatchObject({ name: 'closed', reason: 'refused', error: { status, code } })
    expect(bench.errors).toMatchObject([{ code }])
    await bench.pass(3_600_000)
    expect(bench.sockets).toHaveLength(1)
    await expect(bench.inbox.loadMore()).rejects.toMatchObject({ code })
  })

  it('rejects ready() when the first list is refused', async () => {
    const bench = new Bench()
    bench.service.list.mockRejectedValue(serviceError(403, 'FORBIDDEN'))
    const ready = expect(bench.inbox.ready()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await bench.pass()
    await ready
    expect(bench.sockets).toEqual([])
  })

  it('waits as long as the service asks, also when the user comes back', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const bench = new Bench()
    bench.service.check.mockRejectedValueOnce(serviceError(429, 'RATE_LIMITED', 60))
    await bench.pass()
    await bench.close(1006)
    await bench.pass(59_999)
    expect(bench.sockets).toHaveLength(1)
    await bench.pass(1)
    expect(bench.sockets).toHaveLength(2)
  })

  it('ends when the token has characters that no token has', async () => {
    const bench = new Bench({}, ({ service }) => service.token.mockResolvedValue('a token\n'))
    await bench.pass()
    expect(bench.inbox.state).toMatchObject({ name: 'closed', error: { code: 'INVALID_TOKEN' } })
  })

  it('tries again when no token can be had', async () => {
    const bench = new Bench()
    bench.service.token.mockRejectedValueOnce(new Error('The login does not answer.'))
    await bench.pass()
    expect(bench.inbox.state).toMatchObject({ name: 'waiting', reason: 'retry' })
    await bench.pass(1_000)
    await bench.accept()
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })
})

describe('an inbox on a device without a network', () => {
  it('waits until the device is online', async () => {
    const device = { onLine: false }
    vi.stubGlobal('navigator', device)
    const bench = new Bench()
    await bench.pass(1_000)
    expect(bench.inbox.state).toEqual({ name: 'waiting', reason: 'offline' })
    expect(bench.service.list).not.toHaveBeenCalled()
    device.onLine = true
    comeOnline()
    await bench.accept()
    expect(bench.inbox.state).toEqual({ name: 'connected' })
  })

  it('looks at once whether the connection still answers when the network has come back', async () => {
    vi.stubGlobal('navigator', { onLine: true })
    const bench = await connected()
    comeOnline()
    expect(bench.socket.sent).toEqual(['ping'])
  })
})

describe('an inbox that is closed', () => {
  it('ends its socket and all its timers', async () => {
    const bench = await connected()
    bench.inbox.close()
    await bench.pass()
    expect(bench.socket.isClosed).toBe(true)
    expect(bench.inbox.state).toEqual({ name: 'closed', reason: 'closed' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is closed by a signal, also while it waits', async () => {
    const end = new AbortController()
    const bench = await connected({ signal: end.signal })
    await bench.close(1006)
    end.abort()
    await bench.pass(3_600_000)
    expect(bench.inbox.state).toEqual({ name: 'closed', reason: 'closed' })
    expect(bench.sockets).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('never connects when the signal has come before', async () => {
    const bench = new Bench({ signal: AbortSignal.abort() })
    await bench.pass(1_000)
    expect(bench.inbox.state).toEqual({ name: 'closed', reason: 'closed' })
    expect(bench.service.list).not.toHaveBeenCalled()
    await expect(bench.inbox.ready()).rejects.toMatchObject({ code: 'CLOSED' })
  })
})
