import { SignJWT } from 'jose'
import { variables } from './serve.ts'

/** A token that a bench's service accepts, valid for a day. */
export function tokenOf(user: string, scope?: string): Promise<string> {
  return new SignJWT(scope ? { scope } : {})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setExpirationTime('24h')
    .sign(new TextEncoder().encode(variables.JWT_SECRET))
}
