import { afterEach, expect, it, vi } from 'vitest'
import { tokenFor } from '../support/identities.ts'
import { answerOf } from '../support/local-server.ts'
import { origin } from '../support/service.ts'

afterEach(() => vi.restoreAllMocks())

/** What a Worker logs about a request, and the status of its answer. */
async function logged(method: string, path: string, json?: unknown, worker: 'local' | 'deployed' = 'local') {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  log.mockClear()
  const request = new Request<unknown, IncomingRequestCfProperties>(`${origin}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${await tokenFor('ada')}`, 'Content-Type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  const { status } = await answerOf(worker, request)
  const lines = log.mock.calls.map(([line]) => String(line))
  return { status, lines: lines.filter((line) => !line.includes('"message":"request"')) }
}

const folder = () => ({ name: `a ${crypto.randomUUID()}`, asset_type: 'folder' })

it('names a member of a body that is ignored, with the operation', async () => {
  const { status, lines } = await logged('POST', '/files', { ...folder(), colour: 'red', 'a/b': 1 })
  expect(status).toBe(201)
  expect(lines).toEqual([
    expect.stringMatching(/^\w+ \(POST \/v1\/files\) ignores body member "colour", body member "a\/b"$/),
  ])
})

it('names nothing in content, which has no members', async () => {
  const save = await logged('PUT', `/saves/${crypto.randomUUID()}`, { colour: 'red' })
  expect(save).toEqual({ status: 201, lines: [] })
})

it('names a query parameter that is ignored, once', async () => {
  const { status, lines } = await logged('GET', '/files?limit=5&foldr=x&foldr=y')
  expect(status).toBe(200)
  expect(lines).toEqual([expect.stringMatching(/^\w+ \(GET \/v1\/files\) ignores query parameter "foldr"$/)])
})

it('names a member inside another, and those of a list once', async () => {
  const parts = [1, 2].map((part_number) => ({ part_number, etag: 'x', size: 5 }))
  const { lines } = await logged('POST', '/uploads/x/complete', { parts })
  expect(lines).toEqual([expect.stringMatching(/ignores body member "parts\/size"$/)])
})

it('knows the members of every alternative of a body', async () => {
  const { lines } = await logged('POST', '/uploads', {
    upload_type: 'game_asset',
    asset_type: 'world',
    name: `w ${crypto.randomUUID()}`,
    size_bytes: 5,
    mime_type: 'text/plain',
    visibility: 'public',
    nonsense: true,
  })
  expect(lines).toEqual([expect.stringMatching(/ignores body member "nonsense"$/)])
})

it('names what is sent to an operation that takes nothing', async () => {
  const { lines } = await logged('DELETE', '/trash?all=true', { sure: true })
  expect(lines).toEqual([
    expect.stringMatching(/\(DELETE \/v1\/trash\) ignores query parameter "all", body member "sure"$/),
  ])
})

it('names ten at most, and counts the others', async () => {
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`m${i}`, 1]))
  const { lines } = await logged('POST', '/files', { ...folder(), ...many })
  expect(lines).toEqual([expect.stringMatching(/"m9" and 3 more$/)])
})

it('writes nothing when nothing is ignored, and keeps a line break out of the log', async () => {
  expect((await logged('POST', '/files', folder())).lines).toEqual([])
  expect((await logged('GET', '/files?limit=5&sort=name')).lines).toEqual([])
  const [line] = (await logged('GET', '/files?a%0Ab=1')).lines
  expect(line).toMatch(/ignores query parameter "a\\nb"$/)
})

it('writes nothing on what is deployed', async () => {
  const { status, lines } = await logged('POST', '/files', { ...folder(), colour: 'red' }, 'deployed')
  expect(status).toBe(201)
  expect(lines).toEqual([])
})
