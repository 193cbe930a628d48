import { SignJWT } from 'jose/jwt/sign'
import type { Rating } from '../platform/db/enumerations.ts'

/** The key and the claims that tokens of the development server are signed with, from its variables. */
export interface Signing {
  secret: string
  issuer?: string | undefined
  audience?: string | undefined
}

/** The user, scopes and lifetime of a token. */
export interface Subject {
  user_id: string
  /** Scopes, separated by spaces. */
  scope?: string | undefined
  /** How long the token is valid, in seconds. */
  expires_in: number
  /** The highest rating of other users' assets that the user sees. */
  max_rating?: Rating | undefined
}

/** Signs a token like one of a studio's login. `expires_at` is in Unix seconds. For development only. */
export async function mintToken(
  { secret, issuer, audience }: Signing,
  { user_id, scope, max_rating, expires_in }: Subject,
): Promise<{ token: string; expires_at: number }> {
  const now = Math.floor(Date.now() / 1000)
  const expires_at = now + expires_in
  const claims = new SignJWT({ ...(scope && { scope }), ...(max_rating && { max_rating }) })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user_id)
    .setIssuedAt(now)
    .setExpirationTime(expires_at)
  if (issuer) claims.setIssuer(issuer)
  if (audience) claims.setAudience(audience)
  return { token: await claims.sign(new TextEncoder().encode(secret)), expires_at }
}
