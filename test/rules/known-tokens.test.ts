import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KnownTokens } from '../../src/platform/auth/verify.ts'
import { contextOf } from '../support/context.ts'
import { tokenFor } from '../support/identities.ts'
import { serviceWith } from '../support/service.ts'
import { User } from '../support/user.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

describe('a token that was verified before', () => {
  it('is not verified again, and has the same caller', async () => {
    const service = serviceWith({})
    const ada = new User('ada', await tokenFor('ada'), service)
    const verify = vi.spyOn(crypto.subtle, 'verify')
    for (let i = 0; i < 3; i++) expect((await ada.get('/quota')).status).toBe(200)
    expect(verify).toHaveBeenCalledTimes(1)
    const bob = new User('bob', await tokenFor('bob'), service)
    expect((await bob.get('/quota')).status).toBe(200)
    expect(verify).toHaveBeenCalledTimes(2)
  })

  it('is refused from its expiry on', async () => {
    const token = await tokenFor('ada', { exp: inSeconds(60) })
    const ada = new User('ada', token, serviceWith({}))
    expect((await ada.get('/quota')).status).toBe(200)
    later(58_000)
    expect((await ada.get('/quota')).status).toBe(200)
    later(2_000)
    expect(await ada.get('/quota')).toBeProblem(401, 'UNAUTHENTICATED')
  })

  it('is refused by a service with another secret', async () => {
    const token = await tokenFor('ada')
    expect((await new User('ada', token, serviceWith({})).get('/quota')).status).toBe(200)
    const other = serviceWith({ JWT_SECRET: 'another secret of at least 32 bytes' })
    expect(await new User('ada', token, other).get('/quota')).toBeProblem(401, 'UNAUTHENTICATED')
  })

  it('is dropped from the cache after 5,000 others, the oldest first', () => {
    const known = new KnownTokens(contextOf('ada').config)
    const caller = {
      user_id: 'ada',
      scopes: new Set<string>(),
      max_rating: undefined,
      expires_at: inSeconds(60),
    }
    for (let number = 0; number <= 5_000; number++) known.remember(`hash ${number}`, caller)
    expect(known.callerOf('hash 0')).toBeUndefined()
    expect(known.callerOf('hash 1')).toBe(caller)
    expect(known.callerOf('hash 5000')).toBe(caller)
  })
})
