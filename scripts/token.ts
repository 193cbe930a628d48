/** npm run --silent token -- USER [--scope "a b"] [--max-rating RATING] [--expires-in SECONDS]: prints a token for the local server. */
import { whyNoUserId } from '../src/platform/auth/caller.ts'
import { isScope, scopes } from '../src/platform/auth/scopes.ts'
import { ratings } from '../src/platform/db/enumerations.ts'
import { developmentToken } from './development.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `Usage: npm run --silent token -- USER [--scope "SCOPE …"] [--max-rating RATING] [--expires-in SECONDS]

Prints a token for the local server. It is valid for a day, or for --expires-in seconds. With --max-rating (${ratings.join(', ')})
its user sees no game asset of others that is rated higher.`

const scopeList = `A player needs no scope. The studio's own services and moderators do:

${Object.entries(scopes)
  .map(([scope, allows]) => `  ${scope.padEnd(24)}${allows}`)
  .join('\n')}`

const { values, positionals } = readArguments(
  `${usage}\n\n${scopeList}`,
  {
    scope: { type: 'string', default: '' },
    'max-rating': { type: 'string' },
    'expires-in': { type: 'string', default: '86400' },
    scopes: { type: 'boolean', default: false },
  },
  { takesOthers: true },
)
if (values.scopes) {
  console.log(scopeList)
  process.exit(0)
}

const [user, ...rest] = positionals
if (user === undefined || rest.length > 0) refuse('Name one user.', usage)
const noUser = whyNoUserId(user)
if (noUser) refuse(`The user id ${noUser}.`, usage)
const wanted = values.scope.split(/[\s,]+/).filter(Boolean)
const unknown = wanted.filter((scope) => !isScope(scope))
if (unknown.length > 0)
  refuse(`There is no scope ${unknown.map((scope) => `"${scope}"`).join(', ')}.`, scopeList)
const max_rating = ratings.find((rating) => rating === values['max-rating'])
if (values['max-rating'] !== undefined && max_rating === undefined)
  refuse(`--max-rating takes ${ratings.join(', ')}.`, usage)
const expiresIn = Number(values['expires-in'])
if (!Number.isSafeInteger(expiresIn)) refuse('--expires-in takes a whole number of seconds.', usage)

try {
  console.log(await developmentToken(user, { scope: wanted.join(' '), max_rating, expires_in: expiresIn }))
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error), usage)
}
