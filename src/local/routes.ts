import { z } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import { isScope, scopes } from '../platform/auth/scopes.ts'
import { DEVELOPMENT_SECRET, isPrivateHost } from '../platform/config/development.ts'
import { janitorOf } from '../platform/config/namespaces.ts'
import type { Config } from '../platform/config/variables.ts'
import { ratings } from '../platform/db/enumerations.ts'
import { ApiError } from '../platform/errors.ts'
import { Timestamp, UserId } from '../platform/http/fields.ts'
import { observe, requestId } from '../platform/http/observe.ts'
import { errorsOnly, handleError } from '../platform/http/problem.ts'
import { configured } from '../platform/http/request-context.ts'
import { Router, route } from '../platform/http/route.ts'
import { DAY } from '../platform/lib/units.ts'
import { FIRST } from '../platform/shards/map.ts'
import { mintToken, type Signing } from './mint.ts'

/** The body of POST /development/token. `expires_in` is in seconds. */
const TokenRequest = z.object({
  user_id: UserId,
  scope: z
    .string()
    .refine((text) => text.split(' ').every(isScope), `must name scopes: ${Object.keys(scopes).join(', ')}`)
    .optional(),
  max_rating: z.enum(ratings).optional(),
  expires_in: z
    .int()
    .min(1)
    .max(365 * DAY)
    .default(DAY),
})

/** The routes that only the development server has: `src/index.ts`, which is deployed, does not import them. */
export const local = new Router('Development', (c) => c)

local.use(requestId, observe)
// Pages of this machine and its network may get tokens. Other pages can't read the response.
local.use(cors({ origin: (origin) => (isPrivateOrigin(origin) ? origin : null) }))
local.use(errorsOnly, configured)

route(local, 'POST /development/token', 'mintToken', {
  summary: 'Make a token',
  description: 'For any user.',
  body: TokenRequest,
  answers: { 200: [z.object({ token: z.string(), expires_at: Timestamp }), 'A token'] },
  handle: (c, { body }) => mintToken(signing(c.get('config')), body),
})

route(local, 'POST /development/job', 'runJob', {
  summary: 'Run the job',
  description: 'Of the first database.',
  answers: { 200: [z.looseObject({}), 'The result of the job'] },
  handle: async (c) => ({ ...(await janitorOf(c.env, c.get('config'), FIRST).wake(FIRST)) }),
})

local.notFound(() => {
  throw new ApiError('NOT_FOUND', {
    detail: 'Development has POST /development/token and POST /development/job.',
  })
})
local.onError(handleError)

function isPrivateOrigin(origin: string): boolean {
  return URL.canParse(origin) && isPrivateHost(new URL(origin).hostname)
}

/** How tokens are signed. @throws UNAVAILABLE when the secret is not for development: a deployment may accept its tokens */
function signing({ DEVELOPMENT, JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE }: Config): Signing {
  if (!DEVELOPMENT || !JWT_SECRET?.startsWith(DEVELOPMENT_SECRET))
    throw new ApiError('UNAVAILABLE', {
      detail:
        'This server makes tokens only with a JWT_SECRET that npm run dev wrote into .dev.vars. Get a token from your login.',
    })
  return { secret: JWT_SECRET, issuer: JWT_ISSUER, audience: JWT_AUDIENCE }
}
