import { env } from 'cloudflare:test'
import { afterEach, vi } from 'vitest'
import { RecallPage, RecallRecord } from '../../src/features/saves/recalls/schema.ts'
import { made } from './answer.ts'
import type { Fetch } from './service.ts'
import { operator, type User } from './user.ts'

export const SCOPE = 'saves:recall'
const HOUR = 60 * 60

/** An operator of the studio's who recalls saves. */
export const recaller = (service?: Fetch) => operator(SCOPE, service)

/** The body of a recall of what was written in the last two hours, until an hour ago. */
export const recallBody = (different: Record<string, unknown> = {}) => {
  const now = Math.floor(Date.now() / 1_000)
  return { from: now - 2 * HOUR, until: now - HOUR, newer: 'keep', reason: 'a patch', ...different }
}

/** Recalls saves. Fails unless it succeeds. */
export const recall = async (studio: User, different: Record<string, unknown> = {}) =>
  made(RecallRecord, await studio.request('POST', '/recalls', { json: recallBody(different) }), 201)

/** Lists the recalls. Fails unless it succeeds. */
export const recalls = async (studio: User, query = '') =>
  made(RecallPage, await studio.get(`/recalls${query}`), 200)

/** Ends each test without recalls, which reach every player of every test, and with the time as it is. */
export function startEachWithNoRecall(): void {
  afterEach(async () => {
    vi.useRealTimers()
    await env.DB.batch([env.DB.prepare('DELETE FROM recalls'), env.DB.prepare('DELETE FROM recall_reports')])
  })
}
