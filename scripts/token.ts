/** npm run --silent token -- USER [--scope "a b"] [--expires-in SECONDS]: prints a token for the local server. */
import { parseArgs } from 'node:util'
import { developmentToken } from './development.ts'

const usage = 'npm run --silent token -- USER [--scope "notifications:publish"] [--expires-in SECONDS]'

function refuse(reason: string): never {
  console.error(`${reason}\nUsage: ${usage}`)
  process.exit(2)
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { scope: { type: 'string' }, 'expires-in': { type: 'string', default: '86400' } },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const { values, positionals } = parsed()
const [user, ...rest] = positionals
if (!user || rest.length > 0) refuse('Name one user.')
const expiresIn = Number(values['expires-in'])
if (!Number.isSafeInteger(expiresIn)) refuse('--expires-in takes a whole number of seconds.')

try {
  console.log(await developmentToken(user, { scope: values.scope, expires_in: expiresIn }))
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error))
}
