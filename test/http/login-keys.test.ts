import { importPKCS8, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, inject, it, type MockInstance, vi } from 'vitest'
import { anotherIsolate, serviceWith } from '../support/service.ts'
import { User } from '../support/user.ts'

type Isolate = Awaited<ReturnType<typeof anotherIsolate>>

const HOUR = 60 * 60_000
const { url: login, keys } = inject('login')

let log: MockInstance<typeof console.error>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

/** A login with a key set of its own, and the service that trusts it. */
class Login {
  readonly #url = `${new URL(login).origin}/sets/${crypto.randomUUID()}`

  /** From now on the login answers with the keys of these algorithms, or is "down". */
  async becomes(what: string): Promise<void> {
    await fetch(this.#url, { method: 'PUT', body: what })
  }

  /** How often the keys have been fetched. */
  async fetched(): Promise<number> {
    return Number(await (await fetch(this.#url, { method: 'POST' })).text())
  }

  /** What a token gets that the login has signed with a key, in this isolate or in another one. */
  async ask(alg = 'ES256', { kid = alg, isolate }: { kid?: string; isolate?: Isolate } = {}) {
    return this.send(await this.token(alg, kid), this.service(isolate))
  }

  /** A token that the login has signed with a key. */
  async token(alg = 'ES256', kid = alg, lifetime_seconds = 60): Promise<string> {
    const [iss, aud] = ['https://login.example', 'game']
    const exp = Math.floor(Date.now() / 1_000) + lifetime_seconds
    return new SignJWT({ sub: 'ada', iss, aud, exp })
      .setProtectedHeader({ alg, kid })
      .sign(await importPKCS8(keys.find((key) => key.alg === alg)?.private_key ?? '', alg))
  }

  /** What a token gets. */
  async send(token: string, service = this.service()) {
    return new User('ada', token, service).get('/files')
  }

  /** The service, in this isolate or in another one. */
  service(isolate?: Isolate) {
    const [JWT_ISSUER, JWT_AUDIENCE] = ['https://login.example', 'game']
    return serviceWith({ JWT_SECRET: undefined, JWKS_URL: this.#url, JWT_ISSUER, JWT_AUDIENCE }, isolate)
  }
}

describe('the login’s keys', () => {
  it('go on for six hours when the login is out of reach, and then everybody is asked to come back', async () => {
    const login = new Login()
    expect((await login.ask()).status).toBe(200)
    await login.becomes('down')
    for (const hours of [0.5, 3, 2.4]) {
      later(hours * HOUR)
      expect((await login.ask()).status).toBe(200)
    }
    expect(log).toHaveBeenCalledWith(expect.stringContaining('could not be fetched'))
    later(0.2 * HOUR)
    const answer = await login.ask()
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(answer.headers.get('Retry-After')).toBe('5')
    await login.becomes('up ES256')
    later(6_000)
    expect((await login.ask()).status).toBe(200)
  })

  it('go on in an isolate that has never reached the login, and no longer than in the first', async () => {
    const login = new Login()
    expect((await login.ask()).status).toBe(200)
    await login.becomes('down')
    later(5 * HOUR)
    expect((await login.ask('ES256', { isolate: await anotherIsolate() })).status).toBe(200)
    later(1.1 * HOUR)
    expect(await login.ask('ES256', { isolate: await anotherIsolate() })).toBeProblem(503, 'UNAVAILABLE')
  })

  it('are fetched again after ten minutes, once: a key that was taken out is not good any more', async () => {
    const login = new Login()
    expect((await login.ask('RS256')).status).toBe(200)
    await login.becomes('up ES256')
    later(9 * 60_000)
    expect((await login.ask('RS256')).status).toBe(200)
    expect(await login.fetched()).toBe(1)
    later(2 * 60_000)
    expect(await login.ask('RS256')).toBeProblem(401, 'UNAUTHENTICATED')
    await Promise.all(Array.from({ length: 20 }, () => login.ask('ES256')))
    expect(await login.fetched()).toBe(2)
  })

  it('are fetched at once for a key that was not there before', async () => {
    const login = new Login()
    await login.becomes('up ES256')
    expect((await login.ask('ES256')).status).toBe(200)
    await login.becomes('up ES256 RS256')
    later(31_000)
    expect((await login.ask('RS256')).status).toBe(200)
    expect(await login.fetched()).toBe(2)
  })

  it('are not fetched again and again for tokens that name keys which are not there', async () => {
    const login = new Login()
    const forged = () => login.ask('ES256', { kid: crypto.randomUUID() })
    expect((await login.ask()).status).toBe(200)
    for (let i = 0; i < 5; i++) expect(await forged()).toBeProblem(401, 'UNAUTHENTICATED')
    expect(await login.fetched()).toBe(1)
    later(31_000)
    await Promise.all(Array.from({ length: 30 }, forged))
    expect(await login.fetched()).toBe(2)
  })

  it('are not fetched for each request while the login is out of reach, with keys or without', async () => {
    const login = new Login()
    expect((await login.ask()).status).toBe(200)
    await login.becomes('down')
    later(HOUR)
    const answers = await Promise.all(Array.from({ length: 30 }, () => login.ask()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await login.fetched()).toBe(2)
    // A key that nobody here knows may be a new one.
    expect(await login.ask('ES256', { kid: 'unknown' })).toBeProblem(503, 'UNAVAILABLE')
    const away = new Login()
    await away.becomes('down')
    expect(await away.ask()).toBeProblem(503, 'UNAVAILABLE')
    for (let i = 0; i < 5; i++) expect(await away.ask()).toBeProblem(503, 'UNAVAILABLE')
    expect(await away.fetched()).toBe(1)
  })

  it('are asked about a token once a minute at most, and one that is taken back is used for 11 minutes at most', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const login = new Login()
    const service = login.service()
    const token = await login.token('ES256', 'ES256', 3_600)
    for (let i = 0; i < 3; i++) expect((await login.send(token, service)).status).toBe(200)
    expect(verify).toHaveBeenCalledTimes(1)
    await login.becomes('up RS256')
    later(10 * 60_000 - 1_000)
    expect((await login.send(token, service)).status).toBe(200)
    later(62_000)
    expect(await login.send(token, service)).toBeProblem(401, 'UNAUTHENTICATED')
  })
})
