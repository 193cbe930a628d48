import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { wakeJanitorAt } from '../../src/platform/config/namespaces.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { contextOf } from '../support/context.ts'

describe('the job of a database whose object lacks the method', () => {
  it('is UNAVAILABLE, with the platform’s error as its cause', async () => {
    const { config } = contextOf('ada')
    const asked = wakeJanitorAt({ JANITOR: env.OLDER_JANITOR }, config, FIRST, 1)
    await expect(asked).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: expect.stringContaining('does not implement the method "wakeAt"') },
      details: { headers: { 'Retry-After': '5' } },
    })
  })
})
