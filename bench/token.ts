import { SignJWT } from 'jose'
import { variables } from './serve.ts'

/** A token of a user for the service of a bench. */
export function tokenOf(user: string, scope?: string): Promise<string> {
  return new SignJWT(scope ? { scope } : {})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setExpirationTime('24h')
    .sign(new TextEncoder().encode(variables.JWT_SECRET))
}
