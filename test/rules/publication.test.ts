import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parsePublication } from '../../src/features/notifications/schema.ts'
import { ApiError } from '../../src/platform/errors.ts'

describe('what a client has chosen', () => {
  it('is truncated in an error', () => {
    const options = Object.fromEntries([['😀'.repeat(50_000), 1]])
    const data = { from_user_id: 7, from_display_name: 'Bob' }
    const refused = z
      .instanceof(ApiError)
      .parse(errorIn(() => parsePublication({ user_id: 'ada', type: 'friend_request', data }, options)))
    expect(JSON.stringify(refused.details).length).toBeLessThan(2_048)
    const [{ message } = { message: '' }] = refused.details.errors ?? []
    expect(message).toMatch(/^Unrecognized key.*…$/)
    expect(message.isWellFormed()).toBe(true)
  })
})

/** The error that a function throws. */
function errorIn(act: () => unknown): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return error
  }
}
