import { expect, it } from 'vitest'
import { meter } from '../support/meter.ts'
import { serviceWith } from '../support/service.ts'
import { show } from '../support/showing.ts'
import { signUp } from '../support/user.ts'

/** A picture's URL, and the service with a limit that counts networks and allows `most` requests of each. */
async function scene(variables: Record<string, string> = { RATE_LIMITS: 'on' }, most = 1) {
  const ada = await signUp()
  const { picture_url } = await ada.choose(await ada.picture())
  const counts = new Map<string, number>()
  const limit = async ({ key }: RateLimitOptions) => {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return { success: (counts.get(key) ?? 0) <= most }
  }
  const service = serviceWith({ ...variables, PICTURE_LIMIT: { limit } })
  const from = (address: string) => show(picture_url, { 'CF-Connecting-IP': address }, service)
  return { ada: ada.through(service), url: picture_url, service, from, counts }
}

it('limits the requests of an IPv4 address, and of the first half of an IPv6 address', async () => {
  const { from, counts } = await scene()
  expect((await from('192.0.2.1')).status).toBe(200)
  const late = await from('192.0.2.1')
  expect([late.status, late.headers.get('Retry-After')]).toEqual([429, '60'])
  expect(late.headers.get('Cache-Control')).toBe('no-store')
  expect((await from('192.0.2.2')).status).toBe(200)
  for (const [address, status] of [
    ['2001:db8:1:2:3:4:5:6', 200],
    ['2001:db8:1:2::7', 429],
    ['2001:db8:1:3::7', 200],
    ['2001:db8::1', 200],
    ['2001:db8::2', 429],
    ['2001:db8:0:0:1::', 429],
  ] as const)
    expect([address, (await from(address)).status]).toEqual([address, status])
  expect([...counts.keys()]).toEqual([
    '192.0.2.1',
    '192.0.2.2',
    '2001:db8:1:2',
    '2001:db8:1:3',
    '2001:db8:0:0',
  ])
})

it('reads nothing for who is beyond the limit', async () => {
  const { url } = await scene()
  const PICTURE_LIMIT = { limit: async () => ({ success: false }) }
  const { service, of } = meter({ RATE_LIMITS: 'on' }, { PICTURE_LIMIT })
  const cost = await of(async () => {
    expect((await show(url, { 'CF-Connecting-IP': '192.0.2.1' }, service)).status).toBe(429)
  })
  expect(cost).toMatchObject({ trips: 0, r2_calls: 0 })
})

it('counts nothing without an address, without limits, or under /v1', async () => {
  const { ada, url, service, counts } = await scene()
  expect((await show(url, {}, service)).status).toBe(200)
  expect((await ada.get('/quota', { 'CF-Connecting-IP': '192.0.2.1' })).status).toBe(200)
  const off = await scene({ RATE_LIMITS: 'off' })
  expect((await off.from('192.0.2.1')).status).toBe(200)
  expect([counts.size, off.counts.size]).toEqual([0, 0])
})
