import { describe, expect, it } from 'vitest'
import { type Arrived, admission, BUCKET } from '../../scripts/dev/admission.ts'
import { SQL } from './from-the-network.ts'

const PHONE = '192.168.7.20'

describe('what a machine of the network may ask', () => {
  const asked = (
    target: string,
    { method = 'GET', host = PHONE, origin = '', address = PHONE } = {},
  ): Arrived => {
    const rawHeaders = ['Host', host, ...(origin === '' ? [] : ['Origin', origin])]
    return { method, target, rawHeaders, address }
  }

  it.each([
    '/',
    '/v1/files?name=a%2F..%2Fb&path=\\//..',
    '/v1/users/a%20b%2Fc/quota',
    '/guides/',
    '/development/token',
    '/cdn-cgi-of-a-game',
  ])('is the Worker’s, like %s, and goes on as it came', (target) => {
    expect(admission(asked(target))).toEqual({ path: target, isForBucket: false })
  })

  it.each(['GET', 'HEAD', 'PUT', 'OPTIONS'])(
    'is an object of the bucket with %s, from a page of the network',
    (method) => {
      const path = `${BUCKET}/edge-game-storage/019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60?X-Amz-Signature=ab%2Fc`
      for (const origin of ['', 'http://192.168.7.20:5173', 'http://localhost:5173'])
        expect(admission(asked(path, { method, origin })), origin).toEqual({ path, isForBucket: true })
    },
  )

  it.each([
    ['the list of the bucket', asked(`${BUCKET}/edge-game-storage?list-type=2`)],
    ['a deletion of an object', asked(`${BUCKET}/edge-game-storage/x`, { method: 'DELETE' })],
    ['an object by a public name', asked(`${BUCKET}/edge-game-storage/x`, { host: 'game.example' })],
    [
      'an object from a public page',
      asked(`${BUCKET}/edge-game-storage/x`, { origin: 'https://game.example' }),
    ],
    ['an object from a page without an origin', asked(`${BUCKET}/edge-game-storage/x`, { origin: 'null' })],
    ['the job', asked('/cdn-cgi/local/scheduled')],
    ['the reload of pages', asked('/cdn-cgi/live-reload')],
    ['what wrangler has beside /cdn-cgi', asked('/__cf_local/stream/x')],
  ])('is not %s', (_, arrived) => {
    expect(admission(arrived)).toMatchObject({ status: 403 })
  })

  it('is for this machine the rest, too, and in one reading only', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(admission(asked(SQL, { address }))).toMatchObject({ path: SQL })
    expect(admission(asked(`/v1/..${SQL}`, { address: '127.0.0.1' }))).toMatchObject({ status: 400 })
  })
})
