/** What a token of the development server is asked for. */
export interface SignInRequest {
  user_id: string
  scopes: readonly string[]
}

/** A refusal to make a token, in words for people. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

/**
 * Asks the development server for a token of a made-up user. A deployed service has no such route (src/local.ts).
 *
 * @throws SignInError
 */
export async function developmentToken({ user_id, scopes }: SignInRequest): Promise<string> {
  const response = await fetch('/development/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id, ...(scopes.length > 0 && { scope: scopes.join(' ') }) }),
  })
  const answer: unknown = await response.json().catch(() => undefined)
  const token = member(answer, 'token')
  if (response.ok && typeof token === 'string') return token
  const detail = member(answer, 'detail')
  throw new SignInError(typeof detail === 'string' ? detail : `No token was made: status ${response.status}.`)
}

/** Whether this service makes tokens of made-up users. */
export async function isDevelopment(): Promise<boolean> {
  const answer: unknown = await fetch('/health')
    .then((response) => response.json())
    .catch(() => undefined)
  return member(answer, 'development') === true
}

/** What a pasted token says about itself. The service verifies it; this is only for the labels of the page. */
export function claimsOf(token: string): SignInRequest | undefined {
  try {
    const text = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const user_id = member(claims, 'sub')
    if (typeof user_id !== 'string') return undefined
    return { user_id, scopes: [...scopesIn(member(claims, 'scope')), ...scopesIn(member(claims, 'scp'))] }
  } catch {
    return undefined
  }
}

function scopesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((scope) => scope !== '')
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : []
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
