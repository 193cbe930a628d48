import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { tokenFor } from '../support/identities.ts'
import { overridden } from '../support/meter.ts'
import { origin, service, serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

afterEach(() => vi.restoreAllMocks())

/** Every line that requests write, as it stands in the log. */
function linesOf(): string[] {
  const lines: string[] = []
  for (const level of ['log', 'error', 'warn'] as const)
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)))
  return lines
}

/** The line of the request with this answer. */
function lineOf(lines: string[], { headers }: Pick<Response, 'headers'>) {
  const found = lines.filter((line) => line.includes(String(headers.get('X-Request-Id'))))
  expect(found).toHaveLength(1)
  return JSON.parse(String(found[0]))
}

describe('the line that each request writes into the log', () => {
  it('says what was asked, what was answered, how long it took and what it cost', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const lines = linesOf()
    const answer = await ada.get(`/files/${folder.id}`)
    const line = lineOf(lines, answer)
    expect(line).toEqual({
      message: 'request',
      request_id: answer.headers.get('X-Request-Id'),
      method: 'GET',
      route: '/v1/files/:id',
      status: 200,
      ms: expect.any(Number),
      d1_trips: 1,
      d1_ms: expect.any(Number),
      rows_read: expect.any(Number),
      rows_written: 0,
      r2_calls: 0,
      inbox_calls: 0,
      saves_calls: 0,
      d1_primary: true, // the region is the platform's to say
    })
    expect(line.rows_read).toBeGreaterThan(0)
  })

  it('counts rows written, calls to the bucket and calls to inboxes', async () => {
    const ada = await signUp()
    const lines = linesOf()
    const created = await ada.createFolder({ name: 'a', asset_type: 'folder' })
    const listed = await ada.get('/notifications')
    const started = await ada.request('POST', '/uploads', {
      body: JSON.stringify({
        upload_type: 'file',
        name: 'a',
        size_bytes: 200 * 1024 ** 2,
        mime_type: 'text/plain',
      }),
      headers: { 'Content-Type': 'application/json' },
    })
    expect(lineOf(lines, created).rows_written).toBeGreaterThan(0)
    expect(lineOf(lines, listed)).toMatchObject({ d1_trips: 0, inbox_calls: 1 })
    expect(lineOf(lines, started)).toMatchObject({
      route: '/v1/uploads',
      status: 201,
      d1_trips: 1,
      r2_calls: 1,
    })
  })

  it('names the code of a refusal, and the cause of what is the service’s own fault', async () => {
    const ada = await signUp()
    const lines = linesOf()
    const unknown = await ada.get('/files/nothing')
    const failing = overridden(env.DB, {
      withSession: () => {
        throw new Error('no such table: inside')
      },
    })
    const broken = await ada.through(serviceWith({ DB: failing })).get('/files')
    const [refused, failed] = [lineOf(lines, unknown), lineOf(lines, broken)]
    expect(refused).toMatchObject({ status: 404, code: 'FILE_NOT_FOUND' })
    expect(refused).not.toHaveProperty('cause')
    expect(failed).toMatchObject({ status: 500, code: 'INTERNAL', route: '/v1/files' })
    expect(failed.cause).toContain('no such table: inside')
  })

  it('holds no token, no id, no name, no query and no member of a body, whatever a client sends', async () => {
    const secret = () => `secret${crypto.randomUUID().replaceAll('-', '')}`
    const secrets = Array.from({ length: 7 }, secret)
    const [id, query, name, key, body, user, cursor] = secrets
    const ada = await signUp(user)
    const token = await tokenFor(ada.id)
    const lines = linesOf()
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': key ?? '',
      'If-Match': `"${key}"`,
    }
    const ask = (method: string, path: string, text?: string) =>
      service(
        new Request(`${origin}${path}`, {
          method,
          headers: { ...headers, Authorization: `Bearer ${token}` },
          ...(text !== undefined && { body: text }),
        }),
      )
    await ask('GET', `/v1/files/${id}?${query}=${query}`)
    await ask('GET', `/v1/files?cursor=${cursor}`)
    await ask('POST', '/v1/files', JSON.stringify({ name, asset_type: 'folder' }))
    await ask('POST', '/v1/files', `{"${body}`)
    await ask('GET', `/v1/${id}/${query}`)
    await ask('GET', `/${id}?token=${token}`)
    await ask('DELETE', `/v1/users/${user}`)
    await ask('GET', `/v1/notifications/ws?after=${query}`)
    expect(lines).toHaveLength(8)
    for (const word of [...secrets, token, token.split('.')[1] ?? '', ada.id])
      expect(lines.join('\n')).not.toContain(word)
  })
})

describe('Server-Timing', () => {
  const timing = async (user: User, path: string) => (await user.get(path)).headers.get('Server-Timing')
  const deployed = serviceWith({
    DEVELOPMENT: undefined,
    S3_ENDPOINT: 'https://account.r2.example',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  })

  it('tells a signed-in caller how long their request took, and how long the database did', async () => {
    const ada = (await signUp()).through(deployed)
    expect(await timing(ada, '/files')).toMatch(/^total;dur=\d+, db;dur=\d+$/)
    expect(await timing(ada, '/notifications')).toMatch(/^total;dur=\d+$/)
  })

  it('tells in development only what a request did, also where it is refused as if nothing were there', async () => {
    const [ada, grace] = await Promise.all([signUp(), signUp()])
    const folder = await ada.folder()
    const paths = [`/files/${folder.id}`, `/files/${crypto.randomUUID()}`]
    const without = (header: string | null) => header?.replaceAll(/dur=\d+/g, 'dur')
    const ask = (user: User) => Promise.all(paths.map(async (path) => without(await timing(user, path))))
    const counted = /^total;dur, db;dur;desc="D1 trips: \d, rows read: \d+, rows written: 0"$/
    const [foreign, absent] = await ask(grace)
    expect(foreign).toMatch(counted)
    expect(absent).toMatch(counted)
    expect(await ask(grace.through(deployed))).toEqual(['total;dur, db;dur', 'total;dur, db;dur'])
    expect(without(await timing(grace, '/notifications'))).toBe('total;dur, inbox;desc="inbox calls: 1"')
  })

  it('tells nothing to anybody else, nor of a health check', async () => {
    for (const path of ['/v1/files', '/health', '/healthz', '/readyz', '/v1/nothing'])
      expect((await service(new Request(origin + path))).headers.has('Server-Timing')).toBe(false)
  })
})

describe('METRICS', () => {
  it('gets the figures of each request when it is bound', async () => {
    const points: AnalyticsEngineDataPoint[] = []
    const METRICS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) }
    const ada = (await signUp()).through(serviceWith({ METRICS }))
    // The first request finds out where the user's partition is.
    await ada.get('/files')
    points.length = 0
    await ada.get('/files')
    await ada.get('/files/nothing')
    expect(points).toEqual([
      {
        indexes: ['/v1/files'],
        blobs: ['GET', '/v1/files', '200', '', '', 'primary'],
        doubles: [expect.any(Number), 1, expect.any(Number), expect.any(Number), 0, 0, 0, 0],
      },
      expect.objectContaining({ blobs: ['GET', '/v1/files/:id', '404', 'FILE_NOT_FOUND', '', 'primary'] }),
    ])
  })
})
