import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

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

function freshVariables(): string {
  return `# Made by npm run dev for this machine only; delete it to get new ones.
JWT_SECRET=${randomBytes(32).toString('base64url')}
# "local" signs URLs for the bucket that the development server itself serves (see wrangler.toml).
S3_ENDPOINT=local
S3_ACCESS_KEY_ID=local-access-key
S3_SECRET_ACCESS_KEY=local-secret-key
`
}
