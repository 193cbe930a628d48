import { afterEach, describe, expect, it, vi } from 'vitest'
import { serviceWith } from '../support/service.ts'
import { atOnce, network, newClient, noting } from './client.ts'

const PART = 5 * 1024 ** 2

afterEach(() => {
  vi.useRealTimers()
})

// What holds in every runtime, and on a network that loses what is sent, is shown by test/e2e/client-uploads.test.ts.
describe('client.upload in a Worker', () => {
  it('sends what does not go in parts in one PUT, with its checksum', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const file = await client.files.upload(
      { content: new TextEncoder().encode('hello'), name: 'hello.txt', mime_type: 'text/plain' },
      { onStarted: () => {} },
    )
    expect(file).toMatchObject({ name: 'hello.txt', size_bytes: 5, processing_state: 'ready' })
    const [put] = requests.filter(({ method }) => method === 'PUT')
    expect(put?.headers.get('x-amz-checksum-sha256')).toBe('LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=')
    expect(await (await client.files.download({ id: file.id })).text()).toBe('hello')
  })

  it('sends large content in parts', async () => {
    const small = { MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART) }
    const { requests, fetch } = noting((request) => network(serviceWith(small))(request))
    const client = await newClient(fetch)
    const content = new Blob([new Uint8Array(PART).fill(1), new Uint8Array(3).fill(2)])
    const { asset } = await client.assets.upload({ content, asset_type: 'world', name: 'Castle' })
    expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(2)
    const completion = await requests.find(({ url }) => url.endsWith('/complete'))?.json()
    // Nothing else: a body of 1 MiB has to hold 10,000.
    const part = (part_number: number) => ({ part_number, etag: expect.any(String) })
    expect(completion).toEqual({ parts: expect.arrayContaining([part(1), part(2)]) })
    const last = await client.assets.download({ id: asset.id, version: 1 }, { range: { start: PART - 1 } })
    expect([...new Uint8Array(await last.arrayBuffer())]).toEqual([1, 2, 2, 2])
  })

  it('records the parts of a request that failed with the next one', { tags: 'release' }, async () => {
    vi.useFakeTimers({ toFake: ['Date'] }) // the second recording waits for its second
    const recorded: number[] = []
    let isFirstRecorded = () => {}
    const first = new Promise<void>((resolve) => {
      isFirstRecorded = resolve
    })
    let failures = 0
    const small = { MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART) }
    const reach = network(serviceWith(small))
    const client = await newClient(
      async (request) => {
        if (request.url.includes('partNumber=2&')) await first
        if (request.url.includes('partNumber=3&') && failures === 0) {
          failures = 1
          throw new TypeError('The connection was cut.')
        }
        if (!request.url.endsWith('/parts')) return reach(request)
        const { uploaded = [] }: { uploaded?: { part_number: number }[] } = await request.clone().json()
        const numbers = uploaded.map(({ part_number }) => part_number)
        if (numbers.includes(2) && failures <= 3) {
          failures += 1
          throw new TypeError('The connection was cut.')
        }
        const response = await reach(request)
        recorded.push(...numbers)
        if (numbers.includes(1)) isFirstRecorded()
        return response
      },
      { retry: { ...atOnce, attempts: 3 } },
    )
    await client.files.upload({ content: new Uint8Array(2 * PART + 3), name: 'parts' }, { parallel: 1 })
    expect(failures).toBe(4)
    expect(recorded.toSorted()).toEqual([1, 2, 3])
  })

  it('goes on recording when a part arrives while a slow request records another', {
    tags: 'release',
  }, async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const recording = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const recorded = Promise.withResolvers<boolean>()
    const small = { MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART) }
    const reach = network(serviceWith(small))
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    let isInTime: boolean | undefined
    const client = await newClient(async (request) => {
      if (request.url.includes('partNumber=2&')) {
        await recording.promise
        vi.setSystemTime(Date.now() + 2_000) // its own recording is due at once
      }
      if (request.url.includes('partNumber=3&')) {
        await pause(10)
        arrived.resolve()
        isInTime = await Promise.race([recorded.promise, pause(2_000).then(() => false)])
      }
      if (!request.url.endsWith('/parts')) return reach(request)
      const { uploaded = [] }: { uploaded?: { part_number: number }[] } = await request.clone().json()
      const [part] = uploaded
      if (part?.part_number === 1) {
        recording.resolve()
        await arrived.promise
      }
      if (part?.part_number === 2) recorded.resolve(true)
      return reach(request)
    })
    await client.files.upload({ content: new Uint8Array(2 * PART + 3), name: 'parts' }, { parallel: 1 })
    expect(isInTime).toBe(true)
  })

  it('declares a checksum where the service requires one, and none where it takes none', async () => {
    const { requests, fetch } = noting((request) =>
      network(serviceWith({ REQUIRE_CHECKSUM: 'true', MULTIPART_THRESHOLD: '3', PART_SIZE: String(PART) }))(
        request,
      ),
    )
    const client = await newClient(fetch)
    const starts = async () =>
      Promise.all(
        requests.filter(({ url }) => url.endsWith('/v1/uploads')).map((request) => request.json<object>()),
      )
    const onStarted = () => {}
    await client.files.upload({ content: new Uint8Array(3), name: 'small' }, { onStarted })
    expect(await starts()).toEqual([expect.objectContaining({ checksum_sha256: expect.any(String) })])
    requests.length = 0
    await client.files.upload({ content: new Uint8Array(4), name: 'in parts' }, { onStarted })
    const [refused, started] = await starts()
    expect(refused).toHaveProperty('checksum_sha256')
    expect(started).not.toHaveProperty('checksum_sha256')
  })
})
