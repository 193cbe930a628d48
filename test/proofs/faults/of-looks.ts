import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import { type Answer, send } from '../../support/answer.ts'
import { publishTo } from '../../support/device.ts'
import { tokenFor } from '../../support/identities.ts'
import { newUserId } from '../../support/ids.ts'
import { service } from '../../support/service.ts'
import { Faulty } from './bindings.ts'
import { inside } from './fault.ts'
import { figures, inTime, type Trouble } from './trial.ts'

/** Looks of a user at an inbox that has to take an announcement in, or to let one go: of each call of theirs. */

const UNKNOWN = '/announcements/019a7e2c-6f7a-7000-8d3c-2b9f4e1a5c60'

async function ask(
  faulty: Pick<Faulty, 'service'>,
  who: string,
  method: string,
  path: string,
  json?: unknown,
) {
  const token = await tokenFor(who, { scope: 'announcements:publish' })
  const headers = { Authorization: `Bearer ${token}` }
  return send(method, `/v1${path}`, { json, headers }, faulty.service)
}

/** An announcement to all. */
export async function announce(operator: string): Promise<string> {
  const expires_at = Math.floor(Date.now() / 1_000) + 86_400
  const json = { type: 'studio.maintenance', data: {}, expires_at }
  const { text } = await ask({ service }, operator, 'POST', '/announcements', json)
  const { id }: { id: string } = JSON.parse(text)
  return id
}

export async function endAnnouncement(operator: string, id: string): Promise<void> {
  await ask({ service }, operator, 'DELETE', `/announcements/${id}`)
}

/** Learns the announcements, as an isolate does at any change, and looks. Tells whether the isolate knew them. */
async function look(faulty: Faulty, user_id: string): Promise<{ isInformed: boolean; answer: Answer }> {
  const learned = await inTime(ask(faulty, user_id, 'DELETE', UNKNOWN), faulty)
  const answer = await inTime(ask(faulty, user_id, 'GET', '/notifications'), faulty)
  return { isInformed: learned.status === 404, answer }
}

/** The calls of a look at an inbox with one notification. */
export async function rehearseLook(): Promise<Faulty['calls']> {
  const user_id = newUserId()
  await publishTo({ id: user_id })
  const faultless = new Faulty(new Map())
  await look(faultless, user_id)
  await faultless.come('after the retry')
  return faultless.calls
}

/**
 * A user of whose calls some go wrong looks at an inbox that `prepared` has made, and then again. Each answer is UNAVAILABLE,
 * or what the inbox has once it has taken in what there is, if the isolate knew that. In the end the inbox has it once.
 */
export async function undergoLook(
  { faults }: Trouble,
  user_id: string,
  expected: { seq: number; total: number },
): Promise<Faulty[]> {
  figures.trials++
  const attempts = [...faults.map((some) => new Faulty(some)), new Faulty(new Map())]
  for (const faulty of attempts) {
    const { isInformed, answer } = await look(faulty, user_id)
    if (answer.status === 503) {
      expect(answer).toBeProblem(503, 'UNAVAILABLE')
      expect(answer.text).not.toMatch(inside)
      figures.unavailable++
    } else expect(answer.status, answer.text).toBe(200)
    if (faulty.isWell) expect([isInformed, answer.status], 'the last try').toEqual([true, 200])
    const { seq, total } = expected
    if (isInformed && answer.status === 200) {
      expect(answer.body).toMatchObject({ total, unread: total })
      expect(answer.headers.get('X-Inbox-Seq')).toBe(String(seq))
    }
    figures.faults += faulty.struck
    for (const when of ['at once', 'before the retry'] as const) await faulty.come(when)
  }
  expect(await env.INBOX.getByName(user_id).counts()).toEqual({ ...expected, unread: expected.total })
  return attempts
}

/** What is late comes when everything is over, and changes nothing. */
export async function comeLate(attempts: Faulty[], user_id: string): Promise<void> {
  const before = await env.INBOX.getByName(user_id).list({ limit: 100, offset: 0 })
  for (const faulty of attempts) await faulty.come('after the retry')
  expect(await env.INBOX.getByName(user_id).list({ limit: 100, offset: 0 })).toEqual(before)
}
