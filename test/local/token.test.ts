import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerOf } from '../support/local-server.ts'
import { origin } from '../support/service.ts'

const secret = 'development-secret-of-this-test-alone'
const Minted = z.object({ token: z.string(), expires_at: z.int() })

interface Asked {
  method?: string
  headers?: Record<string, string>
  host?: string
  body?: string
  json?: unknown
}

/** Asks the development server, with these variables beside those of the tests. */
function ask(
  path: string,
  { headers = {}, host = origin, json, ...init }: Asked = {},
  variables: Record<string, string | undefined> = {},
): Promise<Response> {
  const body = json === undefined ? {} : { body: JSON.stringify(json), method: 'POST' }
  const request = new Request<unknown, IncomingRequestCfProperties>(host + path, {
    headers: { 'Content-Type': 'application/json', ...headers },
    ...body,
    ...init,
  })
  return answerOf('local', request, { JWT_SECRET: secret, ...variables })
}

async function minted(json: unknown, variables?: Record<string, string | undefined>): Promise<string> {
  const answer = await ask('/development/token', { json }, variables)
  expect(answer.status, await answer.clone().text()).toBe(200)
  return Minted.parse(await answer.json()).token
}

const withToken = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe('POST /development/token', () => {
  it('makes a token for any made-up user, which the service takes', async () => {
    const token = await minted({ user_id: 'ada' })
    expect((await ask('/v1/quota', withToken(token))).status).toBe(200)
    expect((await ask('/v1/users/bob/quota', withToken(token))).status).toBe(403)
  })

  it('makes a token with scopes', async () => {
    const token = await minted({ user_id: 'operator', scope: 'quota:write users:erase' })
    expect((await ask('/v1/users/bob/quota', withToken(token))).status).toBe(200)
  })

  it('makes a token that bounds what its user sees', async () => {
    const token = await minted({ user_id: 'zoe', max_rating: 'teen' })
    const [, payload = ''] = token.split('.')
    expect(JSON.parse(atob(payload))).toMatchObject({ sub: 'zoe', max_rating: 'teen' })
    expect((await ask('/v1/quota', withToken(token))).status).toBe(200)
  })

  it('makes a token with the issuer and the audience that the server asks for', async () => {
    const variables = { JWT_ISSUER: 'https://login.example', JWT_AUDIENCE: 'storage' }
    const token = await minted({ user_id: 'ada' }, variables)
    expect((await ask('/v1/quota', withToken(token), variables)).status).toBe(200)
  })

  it('says until when the token is valid', async () => {
    const answer = await ask('/development/token', { json: { user_id: 'ada', expires_in: 60 } })
    const { expires_at } = Minted.parse(await answer.json())
    expect(Math.abs(expires_at - Date.now() / 1000 - 60)).toBeLessThan(30)
  })

  it.each([
    ['no user', {}],
    ['a user id that no token may have', { user_id: '..' }],
    ['a scope that there is not', { user_id: 'ada', scope: 'quota:write files:read' }],
    ['a bound that is no rating', { user_id: 'ada', max_rating: 'kids' }],
    ['a validity that is no number', { user_id: 'ada', expires_in: 'long' }],
  ])('refuses %s', async (_, json) => {
    const answer = await ask('/development/token', { json })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('VALIDATION_FAILED')
  })

  it('makes none with a secret that is not one of development, because a deployment may take such a token', async () => {
    for (const variables of [
      { JWT_SECRET: 'the secret of a deployment, put into .dev.vars' },
      { JWT_SECRET: undefined, JWKS_URL: 'http://localhost/jwks', JWT_ISSUER: 'a', JWT_AUDIENCE: 'b' },
    ]) {
      const answer = await ask('/development/token', { json: { user_id: 'ada' } }, variables)
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain('Get a token from your login')
    }
  })

  it('makes none outside development, nor for who asks by a public name', async () => {
    const deployed = await ask('/development/token', { json: { user_id: 'ada' } }, { DEVELOPMENT: undefined })
    expect(deployed.status).toBe(503)
    const named = await ask('/development/token', { json: { user_id: 'ada' }, host: 'https://game.example' })
    expect(named.status).toBe(503)
  })

  it('lets pages of this machine and its network read the token, and no other page', async () => {
    for (const [from, allowed] of [
      ['http://localhost:5173', 'http://localhost:5173'],
      ['http://192.168.1.20:3000', 'http://192.168.1.20:3000'],
      ['https://evil.example', null],
      ['null', null],
    ] as const) {
      const answer = await ask('/development/token', { json: { user_id: 'ada' }, headers: { Origin: from } })
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(allowed)
    }
    // A page can send a form without asking first.
    const form = await ask('/development/token', {
      method: 'POST',
      body: '{"user_id":"ada"}',
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(form.status).toBe(415)
  })

  it('is not there on what is deployed', async () => {
    const request = new Request<unknown, IncomingRequestCfProperties>(`${origin}/development/token`, {
      method: 'POST',
    })
    expect((await answerOf('deployed', request)).status).toBe(404)
  })
})
