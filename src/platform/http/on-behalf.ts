import type { Context } from 'hono'
import { requireScope } from '../auth/authenticate.ts'
import { type Caller, whyNoUserId } from '../auth/caller.ts'
import type { Scope } from '../auth/scopes.ts'
import type { AppEnv } from '../context.ts'
import { noteReading } from '../db/audit.ts'
import { newId } from '../db/id.ts'
import { ApiError } from '../errors.ts'
import { type Act, AuditReason, audited, type Concern } from './audited.ts'
import { decodedText } from './fields.ts'
import { databasesAnyway } from './request-context.ts'
import { validationError } from './validation.ts'

/** What a route does for a player on whose behalf somebody acts. `never`: nobody can. */
export type OnBehalf = 'reads' | 'changes' | 'never'

/** The scopes that allow it, and for saves those of the studio's servers before them (docs/helping-players.md#act-for-a-player). */
const allowing = {
  reads: { support: ['players:read', 'players:write'], saves: ['saves:read', 'saves:write'] },
  changes: { support: ['players:write'], saves: ['saves:write'] },
} as const satisfies Record<string, Record<string, [Scope, ...Scope[]]>>

/** A request on behalf of a player: what it does, whether servers may do it with their scope of saves, and its `operationId`. */
interface Request {
  does: OnBehalf
  isOfSaves: boolean
  action: string
  named: () => Partial<Concern>
}

/** Whether a request names the user on whose behalf it comes. */
export function isOnBehalf(c: Context<AppEnv>): boolean {
  return sentUser(c) !== undefined
}

function sentUser(c: Context<AppEnv>): string | undefined {
  return c.req.header('On-Behalf-Of')
}

/** @throws VALIDATION_FAILED for a request of a service or an operator that names a user to act for */
export function rejectOnBehalf(c: Context<AppEnv>): void {
  if (isOnBehalf(c))
    throw invalidHeader('on-behalf-of', 'must not be sent: this is no request of a player’s.')
}

/**
 * Performs a player's request for the user whom `On-Behalf-Of` names: `caller` is that user, with a token without claims, and
 * `actor` the sender. What changes something has an entry of the audit, as under any scope. What reads is done first, and answered
 * when the entry of the actor, the user and the hour is there. The scopes of saves leave none.
 *
 * @throws FORBIDDEN, VALIDATION_FAILED, what `act` throws; UNAVAILABLE when the entry can't be written
 */
export async function onBehalf(
  c: Context<AppEnv>,
  { does, isOfSaves, action, named }: Request,
  act: Act,
): Promise<Response> {
  if (does === 'never')
    throw new ApiError('FORBIDDEN', { detail: 'Nobody can do this on behalf of a player.' })
  const actor = c.get('caller')
  const isServers = isOfSaves && allowing[does].saves.some((scope) => actor.scopes.has(scope))
  const scope = allowing[does].support.find((one) => actor.scopes.has(one))
  if (!isServers && !scope) requireScope(actor, allowing[does].support[0])
  const user_id = userIn(sentUser(c))
  const enter = () => {
    if (user_id instanceof ApiError) throw user_id
    c.set('actor', actor)
    c.set('caller', playerOf(user_id, actor))
    return user_id
  }
  if (isServers || !scope) {
    enter()
    return act()
  }
  if (does === 'reads') {
    const read = { actor: actor.user_id, action, user_id: enter(), reason: reasonIn(c) ?? null }
    const answer = await act()
    const at = Math.floor(Date.now() / 1_000)
    const entry = { ...read, id: newId(read.actor), at, resource: null, request_id: c.get('requestId') }
    await noteReading(databasesAnyway(c).first, { ...entry, status: answer.status })
    return answer
  }
  const about = { ...named(), ...(typeof user_id === 'string' && { user_id }) }
  return audited(c, { scope, action, named: about }, async (begin) => {
    enter()
    const reason = reasonIn(c)
    if (!reason)
      throw invalidHeader(
        'audit-reason',
        'must say why: it is required with On-Behalf-Of, to change something.',
      )
    return act(() => begin({ reason }))
  })
}

/** The player as a caller: one with a token without claims, that expires with the actor's. */
function playerOf(user_id: string, { expires_at }: Caller): Caller {
  return { user_id, scopes: new Set(), max_rating: undefined, expires_at }
}

/** The user whom the header names, or the error of one that names none. A header that is sent twice comes with a comma. */
function userIn(header = ''): string | ApiError {
  if (header.includes(',')) return invalidHeader('on-behalf-of', 'must be sent once, with each , as %2C.')
  const user_id = decodedText(header)
  if (user_id === undefined) return invalidHeader('on-behalf-of', 'must be percent-encoded UTF-8.')
  const mistake = whyNoUserId(user_id ?? '')
  return mistake === undefined ? (user_id ?? '') : invalidHeader('on-behalf-of', `${mistake}.`)
}

/** The reason in the header; undefined without one. @throws VALIDATION_FAILED */
function reasonIn(c: Context<AppEnv>): string | null | undefined {
  const { data, error } = AuditReason.safeParse(c.req.header())
  if (error) throw validationError(error.issues, 'header')
  return data['audit-reason']
}

function invalidHeader(name: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: `${name}: ${message}`,
    errors: [{ in: 'header', path: `/${name}`, message }],
  })
}
