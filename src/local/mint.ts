import { SignJWT } from 'jose/jwt/sign'

/** How tokens of the development server are signed: the values of its variables. */
export interface Signing {
  secret: string
  issuer?: string | undefined
  audience?: string | undefined
}

/** Whom a token is for. */
export interface Subject {
  user_id: string
  /** Scopes, separated by spaces. */
  scope?: string | undefined
  /** For how many seconds it is valid. */
  expires_in: number
}

/** A token like one of a studio's login, and when it expires, in Unix seconds. For development only. */
export async function mintToken(
  { secret, issuer, audience }: Signing,
  { user_id, scope, expires_in }: Subject,
): Promise<{ token: string; expires_at: number }> {
  const now = Math.floor(Date.now() / 1000)
  const expires_at = now + expires_in
  const claims = new SignJWT(scope ? { scope } : {})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user_id)
    .setIssuedAt(now)
    .setExpirationTime(expires_at)
  if (issuer) claims.setIssuer(issuer)
  if (audience) claims.setAudience(audience)
  return { token: await claims.sign(new TextEncoder().encode(secret)), expires_at }
}
