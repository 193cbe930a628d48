import { describe, expect, it } from 'vitest'
import { type Client, NetworkError, type UploadProgress } from '#client'
import { serviceWithCheck } from '../support/checking.ts'
import { bytes } from '../support/content.ts'
import { type Fetch, serviceWith } from '../support/service.ts'
import { atOnce, losing, network, newClient, noting } from './client.ts'

const MIB = 2 ** 20

/** The requests that were sent, each as its method and path. */
const lines = (requests: Request[]) =>
  requests.map(
    ({ method, url }) => `${method} ${new URL(url).pathname.replace(/[\da-f]{8}-[\da-f-]{27}/, '…')}`,
  )

const inThree = ['POST /v1/uploads', expect.stringMatching(/^PUT .*…$/), 'POST /v1/uploads/…/complete']

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to be refused'),
    (error: unknown) => error,
  )

/** Answers as a service of before these requests. */
const older: Fetch = async (request) => {
  const path = new URL(request.url).pathname
  if (!path.endsWith('/content')) return network()(request)
  const code = request.method === 'POST' ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND'
  const status = code === 'NOT_FOUND' ? 404 : 405
  return Response.json({ code, status, title: code, detail: code, request_id: 'any' }, { status })
}

/** As a proxy does that compresses JSON, and no other content. */
function weakened(response: Response): Response {
  const etag = response.headers.get('ETag')
  if (etag === null || !response.headers.get('Content-Type')?.includes('json')) return response
  const headers = new Headers(response.headers)
  headers.set('ETag', `W/${etag}`)
  return new Response(response.body, { status: response.status, headers })
}

const textOf = async (answer: Response) => new TextDecoder().decode(await answer.arrayBuffer())

/** All the content of a user’s files. */
async function contents(client: Client): Promise<string[]> {
  const found: string[] = []
  for await (const { id } of client.files.list())
    found.push(await textOf(await client.files.download({ id })))
  return found
}

describe('small content', () => {
  it('for which there is no room is refused with what is used, allowed and needed', async () => {
    const client = await newClient(network(serviceWith({ DEFAULT_QUOTA_BYTES: '10' })))
    await client.files.upload({ content: 'four', name: 'a.txt' })
    expect(await caught(client.files.upload({ content: 'seven..', name: 'b.txt' }))).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      ...{ used_bytes: 4, limit_bytes: 10, needed_bytes: 7 },
    })
  })

  it('goes up in one request, with its type and digest, and comes back in one', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const folder = await client.files.createFolder({ name: 'saves' })
    requests.length = 0
    const progress: UploadProgress[] = []
    const file = await client.files.upload(
      {
        content: new File(['hello'], 'hello.txt', { type: 'text/plain;charset=utf-8' }),
        parent_id: folder.id,
      },
      { onProgress: (now) => progress.push(now) },
    )
    expect(file).toMatchObject({
      name: 'hello.txt',
      parent_id: folder.id,
      mime_type: 'text/plain',
      size_bytes: 5,
      processing_state: 'ready',
    })
    expect(progress).toEqual([
      { sent_bytes: 0, size_bytes: 5 },
      { sent_bytes: 5, size_bytes: 5 },
    ])
    const digest = 'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'
    expect(requests[0]?.headers.get('Content-Digest')).toBe(digest)
    const answer = await client.files.download({ id: file.id, size_bytes: file.size_bytes })
    expect(await textOf(answer)).toBe('hello')
    expect(answer.headers.get('Content-Type')).toBe('text/plain')
    expect(lines(requests)).toEqual(['POST /v1/files/content', 'GET /v1/files/…/content'])
  })

  it('takes the place of a file’s content in one request, if the file is as it was read', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const file = await client.files.upload({ content: bytes('old'), name: 'slot' })
    const { etag } = await client.files.get({ id: file.id })
    requests.length = 0
    const replaced = await client.files.upload(
      { content: bytes('new!'), file_id: file.id },
      { ifMatch: etag },
    )
    expect(replaced).toMatchObject({ id: file.id, name: 'slot', size_bytes: 4 })
    expect(lines(requests)).toEqual(['PUT /v1/files/…/content'])
    const late = client.files.upload({ content: bytes('late'), file_id: file.id }, { ifMatch: etag })
    expect(await caught(late)).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(await contents(client)).toEqual(['new!'])
  })

  it.each([
    ['is more than 1 MiB', new Uint8Array(MIB + 1), {}],
    ['is to be resumed with an id', bytes('abc'), { onStarted: () => {} }],
  ])('takes three requests when it %s', async (_, content, options) => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const file = await client.files.upload({ content, name: 'slot' }, options)
    expect(file).toMatchObject({ processing_state: 'ready' })
    expect(lines(requests)).toEqual(inThree)
  })

  it('may be 1 MiB', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const file = await client.files.upload({ content: new Uint8Array(MIB), name: 'the most' })
    expect(file.size_bytes).toBe(MIB)
    expect(requests).toHaveLength(1)
  })

  it('takes three requests when it is a version of an asset', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const world = { asset_type: 'world', name: 'Castle' } as const
    expect(await client.assets.upload({ content: bytes('v1'), ...world })).toMatchObject({
      version: { version: 1 },
    })
    expect(lines(requests)).toEqual(inThree)
  })

  it('is one file when the answer is lost, also to a call that is repeated with the same key', async () => {
    const { requests, fetch } = losing(2, ({ method }) => method === 'POST')
    const client = await newClient(fetch)
    const options = {
      idempotencyKey: 'slot-1',
      onStarted: () => expect.unreachable('no upload'),
    }
    const file = await client.files.upload({ content: bytes('abc'), name: 'slot' }, options)
    expect(requests).toHaveLength(3)
    expect((await client.files.upload({ content: bytes('abc'), name: 'slot' }, options)).id).toBe(file.id)
    const other = client.files.upload({ content: bytes('other'), name: 'slot' }, options)
    expect(await caught(other)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    expect(await contents(client)).toEqual(['abc'])
  })

  it('goes on with the upload that an earlier call with the key has started', async () => {
    const client = await newClient()
    const content = bytes('abc')
    const declared = { size_bytes: 3, mime_type: 'application/octet-stream' }
    const checksum_sha256 = 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
    const started = await client.uploads.start(
      { upload_type: 'file', name: 'slot', ...declared, checksum_sha256 },
      { idempotencyKey: 'slot-1' },
    )
    const ids: string[] = []
    const onStarted = ({ id }: { id: string }) => ids.push(id)
    await client.files.upload({ content, name: 'slot' }, { idempotencyKey: 'slot-1', onStarted })
    expect(ids).toEqual([started.id])
    expect(await contents(client)).toEqual(['abc'])
  })

  it('has taken the place of a file’s content when only the answer was lost, and not when another’s has', async () => {
    /** Replaces 'old' by 'new', and loses the answer after `act`. */
    const replacing = async (act: (client: Client, id: string) => Promise<unknown>) => {
      let id = ''
      let isLost = false
      const client: Client = await newClient(async (request) => {
        const response = weakened(await network()(request))
        if (request.method !== 'PUT' || isLost) return response
        isLost = true
        await act(client, id)
        throw new TypeError('The connection was cut.')
      })
      id = (await client.files.upload({ content: bytes('old'), name: 'slot' })).id
      const { etag } = await client.files.get({ id })
      const outcome = client.files.upload({ content: bytes('new'), file_id: id }, { ifMatch: etag })
      return { client, outcome: await outcome.catch((error: unknown) => error) }
    }
    const mine = await replacing(async () => {})
    expect(mine.outcome).toMatchObject({ name: 'slot', size_bytes: 3 })
    expect(await contents(mine.client)).toEqual(['new'])
    const lost = await replacing((client, id) =>
      client.files.upload({ content: bytes('theirs'), file_id: id }),
    )
    expect(lost.outcome).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(await contents(lost.client)).toEqual(['theirs'])
  })

  it('is sent again when other bytes have arrived', async () => {
    let isBroken = true
    const { requests, fetch } = noting(async (request, next) => {
      if (!isBroken) return next(request)
      isBroken = false
      return next(new Request(request, { body: 'xyz' }))
    })
    const client = await newClient(fetch)
    await client.files.upload({ content: bytes('abc'), name: 'slot' })
    expect(lines(requests)).toEqual(['POST /v1/files/content', 'POST /v1/files/content'])
    expect(await contents(client)).toEqual(['abc'])
  })

  it('has a second more for each 16 KiB', async () => {
    const never: Fetch = (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    const client = await newClient(never, { timeoutMs: 5, retry: { ...atOnce, attempts: 1 } })
    const upload = client.files.upload({ content: new Uint8Array(320), name: 'slot' })
    expect(await caught(upload)).toMatchObject({ message: expect.stringMatching(/ in 25 ms\.$/) })
  })

  it('is not what a network answers that asks for a login', async () => {
    const client = await newClient(async () => new Response('<html>Sign in to the hotel</html>'), {
      retry: { ...atOnce, attempts: 1 },
    })
    const download = client.files.download({ id: 'any', size_bytes: 5 })
    expect(await caught(download)).toBeInstanceOf(NetworkError)
  })

  it('ends with the reason of the signal, and is not sent again', async () => {
    const ended = new AbortController()
    const { requests, fetch } = noting(async (request, next) => {
      ended.abort(new Error('closed'))
      request.signal.throwIfAborted()
      return next(request)
    })
    const client = await newClient(fetch)
    const upload = client.files.upload({ content: bytes('abc'), name: 'slot' }, { signal: ended.signal })
    expect(await caught(upload)).toMatchObject({ message: 'closed' })
    expect(requests).toHaveLength(1)
  })
})

describe('a service that wants an upload', () => {
  it('because of its lower limit is asked once, and gets larger content in three requests from then on', async () => {
    const { requests, fetch } = noting((request) => network(serviceWith({ MAX_INLINE_BYTES: '4' }))(request))
    const client = await newClient(fetch)
    await client.files.upload({ content: bytes('12345'), name: 'a' }, { idempotencyKey: 'a' })
    expect(lines(requests)).toEqual(['POST /v1/files/content', ...inThree])
    expect(requests[1]?.headers.get('Idempotency-Key')).toBe('a')
    requests.length = 0
    await client.files.upload({ content: bytes('54321'), name: 'b' }, { idempotencyKey: 'b' })
    expect(lines(requests)).toEqual(inThree)
    requests.length = 0
    await client.files.upload({ content: bytes('1234'), name: 'c' }, { idempotencyKey: 'c' })
    expect(lines(requests)).toEqual(['POST /v1/files/content'])
    requests.length = 0
    const { files } = await client.files.list({ sort: 'name' }).page()
    const content = await client.files.download({ id: files[0]?.id ?? '', size_bytes: 5 })
    expect(await textOf(content)).toBe('12345')
  })

  it('because it checks such content is asked once for each kind', async () => {
    const { service } = serviceWithCheck({ CONTENT_CHECK_KINDS: 'text/plain' })
    const { requests, fetch } = noting((request) => network(service)(request))
    const client = await newClient(fetch)
    const uploading = (content: string, mime_type: string) => {
      const checked = new AbortController()
      const onProcessing = () => checked.abort(new Error('it waits for its check'))
      return client.files.upload(
        { content: bytes(content), name: 'slot', mime_type },
        { signal: checked.signal, onProcessing },
      )
    }
    expect(await caught(uploading('abc', 'text/plain'))).toMatchObject({ message: 'it waits for its check' })
    expect(lines(requests)).toEqual(['POST /v1/files/content', ...inThree])
    requests.length = 0
    expect(await caught(uploading('def', 'text/plain'))).toMatchObject({ message: 'it waits for its check' })
    expect(lines(requests)).toEqual(inThree)
    requests.length = 0
    await uploading('abc', 'text/csv')
    expect(lines(requests)).toEqual(['POST /v1/files/content'])
  })

  it('because it is older than these requests is asked once', async () => {
    const { requests, fetch } = noting((request) => older(request))
    const client = await newClient(fetch)
    const file = await client.files.upload({ content: bytes('abc'), name: 'slot' })
    await client.files.upload({ content: bytes('def'), file_id: file.id })
    expect(lines(requests)).toEqual(['POST /v1/files/content', ...inThree, ...inThree])
    const content = await client.files.download({ id: file.id, size_bytes: 3 })
    expect(await textOf(content)).toBe('def')
  })
})
