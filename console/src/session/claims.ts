import { member, texts } from '../json.ts'
import type { SignInRequest } from './development.ts'

/** The claims of a pasted token, unverified: for labels of the page only. */
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
  return texts(claim)
}
