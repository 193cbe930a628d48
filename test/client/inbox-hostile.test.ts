/** An inbox whose service, login or app does not behave. The C# client has the same promises (test/csharp/inbox/HostileTests.cs). */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { InboxOptions } from '../../client/src/inbox/inbox.ts'
import { Bench, tokenFor } from './inbox/bench.ts'

/** Requests that nothing but a loop makes. Later ones get no answer. */
const LOOP = 200

let bench: Bench | undefined

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  bench?.inbox.close()
  vi.useRealTimers()
})

/** An inbox whose pages `falsify` changes. Counts them. */
function listing(
  falsify: (page: ReturnType<Bench['model']['page']>, offset: number) => object,
  amount: number,
  options: InboxOptions = {},
) {
  return new Bench(options, ({ model, service }) => {
    for (let count = 0; count < amount; count++) model.publish()
    service.list.mockImplementation(async ({ limit, offset }) => {
      if (service.list.mock.calls.length > LOOP) await new Promise(() => {})
      const page = model.page(limit, offset)
      return { ...page, ...falsify(page, offset) }
    })
  })
}

it('stops reading at a page without notifications, whatever total the service gives', async () => {
  const one = listing(() => ({ total: 8 }), 3)
  bench = one
  await one.accept()
  expect(one.inbox.snapshot).toMatchObject({ total: 3, unread: 3, has_more: false })
  expect(one.service.list).toHaveBeenCalledTimes(2)
})

it('reads again after a delay when a page is older than the one before', async () => {
  const one = listing(({ seq }, offset) => ({ seq: offset === 0 ? seq : seq - 1 }), 150, { limit: 150 })
  bench = one
  await one.pass(60_000)
  expect(one.service.list.mock.calls.length).toBeLessThan(80)
})

it('renews tokens that are about to expire no more often than it connects again', async () => {
  let made = 0
  const one = new Bench({}, ({ service }) => {
    service.token.mockImplementation(async () => tokenFor(`short${made++}`, 2))
  })
  bench = one
  for (let step = 0; step < 600; step++) {
    const { length } = one.sockets
    await one.pass(100)
    if (one.sockets.length > length) await one.accept()
  }
  expect(one.sockets.length).toBeGreaterThan(2)
  expect(one.sockets.length).toBeLessThan(40)
})

it('gives up a silent connection in ten seconds, however often the app asks for a check', async () => {
  const one = new Bench()
  bench = one
  await one.accept()
  for (let second = 0; second < 10; second++) {
    for (let check = 0; check < 10; check++) one.inbox.reconnect()
    await one.pass(1_000)
  }
  expect(one.sockets[0]?.sent).toEqual(['ping'])
  expect(one.sockets[0]?.isClosed).toBe(true)
})
