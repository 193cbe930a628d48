import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { mintToken, type Subject } from '../src/local/mint.ts'
import { DEVELOPMENT_SECRET, DEVELOPMENT_WEBHOOK_SECRET } from '../src/platform/config/development.ts'

/** The project's folder. */
export const project = fileURLToPath(new URL('..', import.meta.url))

const variablesFile = `${project}.dev.vars`

/**
 * The variables of the local server, generated on first use and kept in `.dev.vars`, which wrangler reads and git ignores.
 */
export function developmentVariables(): NodeJS.Dict<string> {
  if (!existsSync(variablesFile)) writeFileSync(variablesFile, freshVariables(), { mode: 0o600 })
  const text = marked(readFileSync(variablesFile, 'utf8'))
  if (text !== undefined) writeFileSync(variablesFile, text)
  return parseEnv(readFileSync(variablesFile, 'utf8'))
}

/**
 * The secret that signs the local server's webhooks: WEBHOOK_SECRET of `.dev.vars`, or one derived from its JWT_SECRET, so
 * that restarts keep it. No deployment accepts the derived one.
 */
export function webhookSecret(): string {
  const { WEBHOOK_SECRET, JWT_SECRET = '' } = developmentVariables()
  const derived = createHash('sha256').update(`webhooks ${JWT_SECRET}`).digest('base64')
  return WEBHOOK_SECRET ?? DEVELOPMENT_WEBHOOK_SECRET + derived
}

/**
 * Upgrades the text of an older `.dev.vars`: adds DEVELOPMENT=on, and to a generated secret the prefix that makes deployments
 * refuse it. Earlier tokens become invalid. Undefined when the text is up to date.
 */
function marked(text: string): string | undefined {
  if (parseEnv(text).DEVELOPMENT) return undefined
  const isOurs = text.startsWith(MADE_BY_US)
  const secret = isOurs
    ? text.replace(/^JWT_SECRET=(?!development-)/m, `JWT_SECRET=${DEVELOPMENT_SECRET}`)
    : text
  return `${secret.trimEnd()}\n${MARK}`
}

/**
 * A token for the local server, like one of a studio's login.
 *
 * @throws Error when `.dev.vars` has no secret to sign with
 */
export async function developmentToken(
  user_id: string,
  { scope, max_rating, expires_in = 86_400 }: Partial<Omit<Subject, 'user_id'>> = {},
): Promise<string> {
  const { JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE } = developmentVariables()
  if (!JWT_SECRET)
    throw new Error(
      '.dev.vars has no JWT_SECRET to sign with: your own login signs the tokens. Delete that file to get a new one.',
    )
  const { token } = await mintToken(
    { secret: JWT_SECRET, issuer: JWT_ISSUER, audience: JWT_AUDIENCE },
    { user_id, scope, max_rating, expires_in },
  )
  return token
}

const MADE_BY_US = '# Made by npm run dev'
const MARK = `# Marks this as development. A service that has it answers on this machine and in private networks only.
DEVELOPMENT=on
`

function freshVariables(): string {
  return `${MADE_BY_US} for this machine only; delete it to get new ones.
JWT_SECRET=${DEVELOPMENT_SECRET}${randomBytes(32).toString('base64url')}
# "local" signs URLs for the bucket that the development server itself serves (see wrangler.toml).
S3_ENDPOINT=local
S3_ACCESS_KEY_ID=local-access-key
S3_SECRET_ACCESS_KEY=local-secret-key
${MARK}`
}
