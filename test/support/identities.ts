import { SignJWT } from 'jose'
import { newNamedId } from './ids.ts'
import { variables } from './variables.ts'

/** A user id and a token for it. Against a URL scripts/acceptance/identities.ts takes the place of this file. */
export interface Identity {
  id: string
  token: string
}

/** A token as the studio's login issues it. */
export function tokenFor(user_id: string, claims: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ exp: now + 3_600, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user_id)
    .sign(new TextEncoder().encode(variables.JWT_SECRET))
}

/** A new user, or with scopes one of the studio's services. */
export async function newIdentity(name: string, scope?: string): Promise<Identity> {
  const id = newNamedId(name)
  return { id, token: await tokenFor(id, scope === undefined ? {} : { scope }) }
}
