import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { gift, publish, publishBatch } from '../support/notifications.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

/** A service whose objects still run the code from before a deployment, in which today's methods are not. */
const older = serviceWith({
  INBOX: env.OLDER_INBOX,
  SAVES: env.OLDER_SAVES,
  JANITOR: env.OLDER_JANITOR,
  NOTIFY_SHARES: 'on',
})

afterEach(() => vi.restoreAllMocks())

describe('an object that lacks the method is UNAVAILABLE for a moment, and never INTERNAL', () => {
  const requests: [what: string, ask: (ada: User, social: User) => Promise<Answer>][] = [
    ['a list of notifications', (ada) => ada.get('/notifications')],
    ['a count', (ada) => ada.get('/notifications/unread-count')],
    ['a mark', (ada) => ada.request('POST', '/notifications/read', { json: {} })],
    ['deletions', (ada) => ada.request('POST', '/notifications/delete', { json: { all: true } })],
    ['a publication', (ada, social) => publish(social, gift(ada))],
    ['a signal', (ada, social) => publish(social, gift(ada, { persistent: false }))],
    ['a list of saves', (ada) => ada.get('/saves')],
    ['a save', (ada) => ada.request('PUT', '/saves/auto', { body: 'x' })],
    ['a deletion of a save', (ada) => ada.request('DELETE', '/saves/auto')],
  ]
  it.each(requests)('to %s', async (_, ask) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = (await signUp('ada')).through(older)
    const social = (await operator('notifications:publish')).through(older)
    const answer = await ask(ada, social)
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(answer.text).not.toContain('implement')
    expect(String(log.mock.calls.at(-1)?.[0]), 'the log says why').toContain('does not implement the method')
  })

  it('to a recipient of a batch', async () => {
    const social = (await operator('notifications:publish')).through(older)
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const { user_id: _, ...message } = gift(ada)
    const answer = await publishBatch(social, { user_ids: [ada.id, bob.id], ...message })
    expect([answer.status, answer.body]).toEqual([
      200,
      { results: [ada, bob].map(({ id: user_id }) => ({ user_id, code: 'UNAVAILABLE' })) },
    ])
  })
})
