/** npm run staging -- URL: checks of a deployment that only the real platform can pass or fail. */
import { z } from 'zod'
import { checks } from './staging/all.ts'
import { Deployment, type Person } from './staging/deployment.ts'
import { type Need, needs } from './staging/given.ts'
import { manualChecks } from './staging/manual-checks.ts'
import { givenBy, listAll, makeAll, summary } from './staging/report.ts'
import { orRefuse, readArguments, refuse } from './usage.ts'

/**
 * Seven parts of 16 MiB, and one of 1,000 bytes. Storage may close the connection before it has read a refused part; only a
 * small part is sent fast enough to see the answer.
 */
const MULTIPART_BYTES = 7 * 16 * 1024 ** 2 + 1_000

const usage = `Usage: npm run staging -- URL [--only NAME,NAME]
       npm run staging -- --list

Runs checks on a deployment, prints what each does, expects and got, and removes everything it has created. Then lists the
checks that only a person can make, with the command to type. For a deployment without users yet.

  --only    runs these checks only; checks that take long run only when named here
  --list    prints all checks, and runs none

It acts as two test users of your login. From the environment:
  SMOKE_TOKEN, SMOKE_OTHER_TOKEN   as for npm run smoke
  STAGING_MULTIPART_BYTES   a size above MULTIPART_THRESHOLD (${MULTIPART_BYTES} unless set), whose last part is small
${Object.entries(needs)
  .map(([name, meaning]) => `  ${name.padEnd(24)}  ${meaning}`)
  .join('\n')}
A development server makes its own tokens. Many checks run there, and say when only the platform can show the outcome.`

const { values, positionals } = readArguments(
  usage,
  {
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
  },
  { takesOthers: true },
)
if (values.list) {
  listAll(checks, manualChecks)
  process.exit(0)
}
const [address, ...rest] = positionals
if (address === undefined || rest.length > 0) refuse('Name the address of one deployment.', usage)
const origin = orRefuse(() => new URL(address).origin, usage)

const only = values.only.split(',').filter(Boolean)
const unknown = only.filter((name) => !checks.some((check) => check.name === name))
if (unknown.length > 0) refuse(`There is no check ${unknown.join(', ')}; --list names all.`, usage)

const Token = z.object({ token: z.string() })

/** A token of the development server; undefined when the origin is no development server. */
async function madeUp(body: object): Promise<string | undefined> {
  const answer = await fetch(`${origin}/development/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return answer.ok ? Token.parse(JSON.parse(text)).token : undefined
}

/** The context of checks on the development server, with tokens made for two new users; undefined when it is none. */
async function onDevelopmentServer(multipartBytes: number): Promise<Deployment | undefined> {
  const [user, other] = [`staging-${crypto.randomUUID()}`, `staging-${crypto.randomUUID()}`]
  const token = await madeUp({ user_id: user })
  if (token === undefined) return undefined
  const given: Partial<Record<Need, string>> = {
    STAGING_ORIGIN: 'https://game.example',
    ...givenBy(process.env),
    STAGING_SERVICE_TOKEN:
      (await madeUp({ user_id: 'staging-service', scope: 'notifications:publish' })) ?? '',
    STAGING_EXPIRED_TOKEN: (await madeUp({ user_id: user, expires_in: 1 })) ?? '',
  }
  const otherToken = (await madeUp({ user_id: other })) ?? ''
  const people = { user: { id: user, token }, other: { id: other, token: otherToken } }
  return new Deployment(origin, true, people, { given, multipartBytes })
}

/** The user of a JWT. @throws Error when the token is no JWT */
function personOf(token: string): Person {
  const [, payload = ''] = token.split('.')
  const { sub } = z
    .object({ sub: z.string() })
    .parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  return { id: sub, token }
}

function onDeployment(multipartBytes: number): Deployment {
  const { SMOKE_TOKEN, SMOKE_OTHER_TOKEN } = process.env
  if (!SMOKE_TOKEN || !SMOKE_OTHER_TOKEN) refuse('Set SMOKE_TOKEN and SMOKE_OTHER_TOKEN.', usage)
  const people = orRefuse(() => ({ user: personOf(SMOKE_TOKEN), other: personOf(SMOKE_OTHER_TOKEN) }), usage)
  return new Deployment(origin, false, people, { given: givenBy(process.env), multipartBytes })
}

const multipartBytes = Number(process.env.STAGING_MULTIPART_BYTES ?? MULTIPART_BYTES)
await fetch(`${origin}/healthz`).catch((error: unknown) => {
  const reason = error instanceof Error ? (error.cause ?? error) : error
  console.error(`${origin} can't be reached: ${reason instanceof Error ? reason.message : reason}`)
  process.exit(1)
})
const deployment = (await onDevelopmentServer(multipartBytes)) ?? onDeployment(multipartBytes)
console.log(`${origin}${deployment.isLocal ? ', a development server' : ''}\n`)
const chosen = only.length > 0 ? checks.filter(({ name }) => only.includes(name)) : checks
const outcomes = await makeAll(chosen, deployment, only.length > 0)
summary(outcomes, manualChecks)
process.exit(outcomes.has('failed') ? 1 : 0)
