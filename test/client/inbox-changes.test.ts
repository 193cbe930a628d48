import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NetworkError } from '#client'
import { Bench, serviceError } from './inbox/bench.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** An inbox with four notifications, of which the two oldest are read. */
async function opened(): Promise<Bench> {
  const bench = new Bench({}, ({ model }) => {
    for (let count = 0; count < 4; count++) model.publish()
    model.markRead(['000001', '000002'])
  })
  await bench.accept()
  return bench
}

const ids = ({ inbox }: Bench) => inbox.snapshot?.notifications.map(({ id }) => id)
const counts = ({ inbox }: Bench) => [inbox.snapshot?.total, inbox.snapshot?.unread]

/** Makes the next deletion wait for its answer. */
function answerOf({ service }: Bench) {
  const answer = Promise.withResolvers<void>()
  service.deleteSelected.mockReturnValueOnce(answer.promise)
  return answer
}

const deletions = [
  [
    'deleteMany',
    (bench: Bench) => bench.inbox.deleteMany({ notification_ids: ['000004', '000001'] }),
    { notification_ids: ['000004', '000001'] },
    (bench: Bench) => bench.model.deleteMany(['000004', '000001']),
    { left: ['000003', '000002'], counts: [2, 1] },
  ],
  [
    'deleteRead',
    (bench: Bench) => bench.inbox.deleteRead(),
    { state: 'read' },
    (bench: Bench) => bench.model.deleteRead(),
    { left: ['000004', '000003'], counts: [2, 2] },
  ],
  [
    'deleteAll',
    (bench: Bench) => bench.inbox.deleteAll(),
    { all: true },
    (bench: Bench) => bench.model.deleteMany(null),
    { left: [], counts: [0, 0] },
  ],
] as const

describe.each(deletions)('%s', (_, ask, request, make, after) => {
  it('shows at once with one request, and stays when its event arrives', async () => {
    const bench = await opened()
    const answer = answerOf(bench)
    const asked = ask(bench)
    expect(ids(bench)).toEqual(after.left)
    expect(counts(bench)).toEqual(after.counts)
    expect(bench.service.deleteSelected.mock.calls).toEqual([[request, {}]])
    answer.resolve()
    await asked
    expect(ids(bench)).toEqual(after.left)
    await bench.change(() => make(bench))
    expect(ids(bench)).toEqual(after.left)
    expect(counts(bench)).toEqual(after.counts)
    expect(bench.inbox.snapshot?.seq).toBe(6)
  })

  it('comes back when it is refused', async () => {
    const bench = await opened()
    const before = bench.inbox.snapshot
    const answer = answerOf(bench)
    const asked = ask(bench)
    answer.reject(serviceError(403, 'FORBIDDEN'))
    await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(bench.inbox.snapshot).toEqual(before)
  })

  it('ends as the service has it when its answer is lost', async () => {
    const bench = await opened()
    const answer = answerOf(bench)
    const asked = ask(bench)
    answer.reject(new NetworkError('The connection was cut.'))
    await expect(asked).rejects.toThrow(NetworkError)
    await bench.change(() => make(bench))
    expect(ids(bench)).toEqual(after.left)
    expect(counts(bench)).toEqual(after.counts)
    await bench.change((model) => model.publish())
    expect(ids(bench)).toEqual(['000005', ...after.left])
  })

  it('keeps what arrives meanwhile', async () => {
    const bench = await opened()
    const answer = answerOf(bench)
    const asked = ask(bench)
    await bench.change((model) => model.publish())
    expect(ids(bench)).toEqual(['000005', ...after.left])
    answer.resolve()
    await asked
    expect(bench.told).toEqual(['000005'])
  })
})

it('sends no request for no ids', async () => {
  const bench = await opened()
  await bench.inbox.deleteMany({ notification_ids: [] })
  expect(bench.service.deleteSelected).not.toHaveBeenCalled()
  expect(counts(bench)).toEqual([4, 2])
})

it('leaves in the list what deleteRead may come too early for: what this device has just marked', async () => {
  const bench = await opened()
  const marked = Promise.withResolvers<void>()
  bench.service.markRead.mockReturnValueOnce(marked.promise)
  const marking = bench.inbox.markRead({ notification_ids: ['000004'] })
  await bench.inbox.deleteRead()
  await bench.change((model) => model.deleteRead())
  expect(ids(bench)).toEqual(['000004', '000003'])
  marked.resolve()
  await marking
  await bench.change((model) => model.markRead(['000004']))
  expect(ids(bench)).toEqual(['000004', '000003'])
  expect(counts(bench)).toEqual([2, 1])
})

it.each([
  ['deleteAll', (bench: Bench) => bench.inbox.deleteAll()],
  ['deleteMany', (bench: Bench) => bench.inbox.deleteMany({ notification_ids: ['000003', '000004'] })],
])('brings nothing back that another request has deleted: %s', async (_, ask) => {
  const bench = await opened()
  await bench.inbox.delete({ id: '000003' })
  const answer = answerOf(bench)
  const asked = ask(bench)
  answer.reject(serviceError(503, 'UNAVAILABLE'))
  await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(ids(bench)).toEqual(['000004', '000002', '000001'])
})
