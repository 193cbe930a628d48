import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { SignJWT } from 'jose'

/** The project's folder, wherever a script is called from. */
export const project = fileURLToPath(new URL('..', import.meta.url))

const variablesFile = `${project}.dev.vars`

/**
 * The variables of the local server. They are made up on first use and kept in `.dev.vars`, which wrangler reads
 * and git ignores: a development secret that only this machine knows works nowhere else.
 */
export function developmentVariables(): NodeJS.Dict<string> {
  if (!existsSync(variablesFile)) writeFileSync(variablesFile, freshVariables(), { mode: 0o600 })
  return parseEnv(readFileSync(variablesFile, 'utf8'))
}

/**
 * A token for the local server, as a studio's login would issue it.
 *
 * @throws Error when `.dev.vars` holds no secret to sign with
 */
export function developmentToken(
  user_id: string,
  { scope, expires_in = 86_400 }: { scope?: string | undefined; expires_in?: number } = {},
): Promise<string> {
  const secret = developmentVariables().JWT_SECRET
  if (!secret) throw new Error('.dev.vars has no JWT_SECRET: delete that file, and a new one is made.')
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT(scope ? { scope } : {})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user_id)
    .setIssuedAt(now)
    .setExpirationTime(now + expires_in)
    .sign(new TextEncoder().encode(secret))
}

function freshVariables(): string {
  return `# Made by npm run dev for this machine only; delete it to get new ones.
JWT_SECRET=${randomBytes(32).toString('base64url')}
# "local" signs URLs for the bucket that the development server itself serves (see wrangler.toml).
S3_ENDPOINT=local
S3_ACCESS_KEY_ID=local-access-key
S3_SECRET_ACCESS_KEY=local-secret-key
`
}
