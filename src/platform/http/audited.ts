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
import { databasesAnyway, databasesIn } from './request-context.ts'

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

/** Writes the entry of an act before it. An act that concerns nothing (undefined) leaves no entry. */
type Begin = (concern: Partial<Concern> | undefined) => Promise<void>

/** A request from its validation to its answer. It calls `begin` when its input is valid. */
export type Act = (begin?: Begin) => Promise<Response>

/**
 * Performs an act under a scope, with an entry of the audit (docs/helping-players.md#what-was-done). `act` calls `begin` when its input is
 * valid. The entry is written then, before the act, and its status afterwards: an act whose entry can't be written does not happen, and
 * an entry without a status is of a request that was cut off. A request that is refused earlier has one write, with its status, its
 * reason and `named`: the user and the thing of its path.
 *
 * @throws what the act throws; UNAVAILABLE when the entry can't be written
 */
export async function audited(
  c: Context<AppEnv>,
  { scope, action, named }: { scope: Scope; action: string; named: Partial<Concern> },
  act: (begin: Begin) => Promise<Response>,
): Promise<Response> {
  const { user_id: actor } = c.get('actor') ?? c.get('caller')
  const [at, request_id] = [Math.floor(Date.now() / 1_000), c.get('requestId')]
  const nothing: Concern = { user_id: null, resource: null, reason: sentReason(c) }
  const unknown = { id: newId(actor), at, actor, scope, action, request_id, status: null }
  let entry: AuditEntry | undefined = { ...unknown, ...nothing, ...named }
  const end = async (status: number) => {
    if (!entry) return
    const { user_id, resource } = entry
    const found = c.get('concerned')
    const known = {
      user_id: user_id ?? found?.user_id ?? null,
      resource: resource ?? found?.resource ?? null,
    }
    try {
      await writeEntry(databasesAnyway(c).first, { ...entry, ...known, status })
    } catch (error) {
      // The act has happened or was refused, and its answer says so.
      logError('an entry of the audit lacks its status', { request_id, status, error: String(error) })
    }
  }
  try {
    const answer = await act(async (concern) => {
      entry = entry && concern && { ...entry, ...concern }
      if (entry) await writeEntry(databasesIn(c).first, entry)
    })
    await end(answer.status)
    return answer
  } catch (error) {
    await end(errorCodes[error instanceof ApiError ? error.code : 'INTERNAL'][0])
    throw error
  }
}

/** The reason that the request's header gives; null when it is malformed or missing. */
function sentReason(c: Context<AppEnv>): string | null {
  return AuditReason.safeParse(c.req.header()).data?.['audit-reason'] ?? null
}

/** The user and the thing that a valid path names. What has not the form of an id is an unknown one, and is not kept. */
export function namedIn({ user_id, id: itsId, slot }: Record<string, unknown> = {}): Partial<Concern> {
  const id = itsId ?? slot
  return {
    ...(typeof user_id === 'string' && { user_id }),
    ...(typeof id === 'string' && isResource(id) && { resource: id }),
  }
}

function isResource(id: string): boolean {
  return /^[\w.-]{1,64}$/.test(id)
}

/** Says whom the act of a request concerns, and which thing, once its rule has found out what the input does not say. */
export function concerns(c: Context<AppEnv>, user_id: string | null, resource?: string): void {
  c.set('concerned', { user_id, resource })
}
