import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Scope } from '../auth/scopes.ts'
import type { AppEnv } from '../context.ts'
import { type AuditEntry, writeEntry } from '../db/audit.ts'
import { newId } from '../db/id.ts'
import { ApiError, errorCodes } from '../errors.ts'
import { logError } from '../lib/log.ts'
import { isMisleadingText } from '../lib/text.ts'
import { encodedText } from './fields.ts'
import { databasesIn } from './request-context.ts'

const MAX_REASON_LENGTH = 500

/** Why an operator does something, in a header. */
export const AuditReason = z.object({
  'audit-reason': encodedText(
    (text) => {
      const length = [...(text ?? '')].length
      if (length < 1 || length > MAX_REASON_LENGTH) return `must have 1 to ${MAX_REASON_LENGTH} code points`
      return isMisleadingText(text ?? '')
        ? 'must have no control or bidirectional control characters'
        : undefined
    },
    'Asked%20for%20by%20the%20player',
    `Why, for the audit: percent-encoded UTF-8, 1 to ${MAX_REASON_LENGTH} code points`,
  ),
})

/** What an act concerns, and why it is done. */
export type Concern = Pick<AuditEntry, 'user_id' | 'resource' | 'reason'>

const NOTHING: Concern = { user_id: null, resource: null, reason: null }

/**
 * Performs an act under a scope, with an entry of the audit (docs/helping-players.md#what-was-done). `act` calls `begin` when its input is
 * valid. The entry is written then, before the act, and its status afterwards: an act whose entry can't be written does not happen, and
 * an entry without a status is of a request that was cut off. A request that is refused earlier has one write, with its status. An act
 * that concerns nothing (undefined) leaves no entry.
 *
 * @throws what the act throws; UNAVAILABLE when the entry can't be written
 */
export async function audited(
  c: Context<AppEnv>,
  { scope, action }: { scope: Scope; action: string },
  act: (begin: (concern: Concern | undefined) => Promise<void>) => Promise<Response>,
): Promise<Response> {
  const { user_id: actor } = c.get('caller')
  const { first } = databasesIn(c)
  const [at, request_id] = [Math.floor(Date.now() / 1_000), c.get('requestId')]
  let entry: AuditEntry | undefined = {
    id: newId(actor),
    at,
    actor,
    scope,
    action,
    ...NOTHING,
    request_id,
    status: null,
  }
  const end = async (status: number) => {
    if (!entry) return
    try {
      await writeEntry(first, { ...entry, user_id: entry.user_id ?? c.get('concerned') ?? null, status })
    } catch (error) {
      // The act has happened or was refused, and its answer says so.
      logError('an entry of the audit lacks its status', { request_id, status, error: String(error) })
    }
  }
  try {
    const answer = await act(async (concern) => {
      entry = entry && concern && { ...entry, ...concern }
      if (entry) await writeEntry(first, entry)
    })
    await end(answer.status)
    return answer
  } catch (error) {
    await end(errorCodes[error instanceof ApiError ? error.code : 'INTERNAL'][0])
    throw error
  }
}

/** What an act concerns: what its route says of the input, else the user or the thing that the path names. */
export function concernOf(
  c: Context<AppEnv>,
  headers: { 'audit-reason'?: string | null },
  said: Partial<Concern> | undefined,
): Concern | undefined {
  if (!said) return undefined
  const { user_id = null, id: resource = null } = c.req.param()
  return {
    ...NOTHING,
    user_id,
    resource,
    ...said,
    ...(headers['audit-reason'] && { reason: headers['audit-reason'] }),
  }
}

/** Says whom the act of a request concerns, once its rule has found out. */
export function concerns(c: Context<AppEnv>, user_id: string): void {
  c.set('concerned', user_id)
}
