/** npm run --silent token -- USER [--scope "a b"] [--expires-in SECONDS]: prints a token for the local server. */
import { parseArgs } from 'node:util'
import { SignJWT } from 'jose'
import { developmentVariables } from './development.ts'

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

const secret = developmentVariables().JWT_SECRET
if (!secret) refuse('.dev.vars has no JWT_SECRET: delete that file, and a new one is made.')

const now = Math.floor(Date.now() / 1000)
const token = await new SignJWT(values.scope ? { scope: values.scope } : {})
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject(user)
  .setIssuedAt(now)
  .setExpirationTime(now + expiresIn)
  .sign(new TextEncoder().encode(secret))
console.log(token)
