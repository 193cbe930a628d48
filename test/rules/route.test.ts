import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { ApiError } from '../../src/platform/errors.ts'
import { created, Reply, Router, route, withETag } from '../../src/platform/http/route.ts'

const Thing = z.object({ id: z.string() })
const summary = 'A route of this test'
const ofThing = { summary, params: Thing } as const

it('answers a record with 200, nothing with 204, and what is new with its path and ETag', async () => {
  const router = new Router('Things', () => ({ path: '/v1/things/1' }))
  const thing = { id: '1' }
  route(router, 'GET /v1/things/{id}', 'getThing', {
    ...ofThing,
    answers: { 200: [Thing, 'The thing'] },
    handle: (_, { params }) => params,
  })
  route(router, 'POST /v1/things', 'createThing', {
    summary,
    answers: { 201: [Thing, 'The new thing', 'Location', 'ETag'] },
    handle: ({ path }) => created(thing, path, 3),
  })
  route(router, 'DELETE /v1/things/{id}', 'deleteThing', {
    ...ofThing,
    answers: { 204: 'The thing is deleted' },
    handle: async () => {},
  })
  const told = async (method: string, path: string) => {
    const { status, headers } = await router.request(path, { method })
    return [status, headers.get('Location'), headers.get('ETag')]
  }
  expect(await told('GET', '/v1/things/1')).toEqual([200, null, null])
  expect(await (await router.request('/v1/things/1')).json()).toEqual(thing)
  expect(await told('POST', '/v1/things')).toEqual([201, '/v1/things/1', '"3"'])
  expect(await told('DELETE', '/v1/things/1')).toEqual([204, null, null])
})

it('checks the scope, then reads the body, then validates query, path, headers and body', async () => {
  const router = new Router('Things', () => undefined)
  const scopes = new Set<string>()
  router.use((c, next) => {
    c.set('caller', { user_id: 'ada', scopes, max_rating: undefined, expires_at: 0 })
    return next()
  })
  router.onError((error, c) => {
    if (!(error instanceof ApiError)) throw error
    return c.text(`${error.code} ${error.details.errors?.map((each) => each.in) ?? ''}`)
  })
  const isGood = z.literal('good')
  route(router, 'PUT /v1/things/{id}', 'setThing', {
    summary,
    scope: 'users:read',
    audit: false,
    params: z.object({ id: isGood }),
    query: z.object({ q: isGood }),
    ifMatch: true,
    body: z.object({ member: isGood }),
    answers: { 200: [Thing, 'The thing'] },
    handle: (_, { params, expected }) => ({ ...params, expected }),
  })
  const told = async (path: string, sent: string, tag: string) => {
    const headers = { 'Content-Type': 'application/json', 'If-Match': tag }
    return (await router.request(`/v1/things/${path}`, { method: 'PUT', headers, body: sent })).text()
  }
  expect(await told('bad', '{', 'bad')).toBe('FORBIDDEN ')
  scopes.add('users:read')
  expect(await told('bad', '{', 'bad')).toBe('MALFORMED_JSON ')
  expect(await told('bad', '{}', 'bad')).toBe('VALIDATION_FAILED query')
  expect(await told('bad?q=good', '{}', 'bad')).toBe('VALIDATION_FAILED path')
  expect(await told('good?q=good', '{}', 'bad')).toBe('VALIDATION_FAILED header')
  expect(await told('good?q=good', '{}', '"3"')).toBe('VALIDATION_FAILED body')
  expect(await told('good?q=good', '{"member":"good"}', '"3"')).toBe('{"id":"good","expected":[3]}')
})

it('compiles with nothing that a route does not declare', () => {
  const router = new Router('Things', () => undefined)
  const answers = { 200: [Thing, 'The thing'] } as const
  const tagged = { 200: [Thing, 'The thing', 'ETag'] } as const
  const thing = { id: '1' }
  // @ts-expect-error: another record
  route(router, 'GET /v1/1', 'a', { summary, answers, handle: () => ({ id: 1 }) })
  // @ts-expect-error: no record
  route(router, 'GET /v1/2', 'b', { summary, answers, handle: async () => {} })
  // @ts-expect-error: another status
  route(router, 'GET /v1/3', 'c', { summary, answers, handle: () => new Reply(202, thing, {}) })
  // @ts-expect-error: an answer of Hono's, whose record nobody looks at
  route(router, 'GET /v1/4', 'd', { summary, answers, handle: (_ctx, _input, c) => c.json(thing) })
  // @ts-expect-error: no ETag
  route(router, 'GET /v1/5', 'e', { summary, answers: tagged, handle: () => thing })
  route(router, 'GET /v1/6', 'f', { summary, answers: tagged, handle: () => withETag(thing, 1) })
  // @ts-expect-error: a code that is none
  route(router, 'GET /v1/7', 'g', { summary, answers, errors: ['NO_CODE'], handle: () => thing })
  // @ts-expect-error: no params
  route(router, 'GET /v1/8', 'h', { summary, answers, handle: (_, { params }) => ({ id: params.id }) })
  // @ts-expect-error: no key
  route(router, 'POST /v1/9', 'i', { summary, answers, handle: (_, { key }) => ({ id: key.key }) })
  expect(router.routes).toHaveLength(9)
})
