/** Takes the place of test/support/identities.ts against a URL: users of the login of the service there. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { profile, service, skip } from './reach.ts'
import { subjectOf } from './subject.ts'

interface Identity {
  id: string
  token: string
}

const Token = z.object({ token: z.string() })

/** The users whom this file's tests have made, who are erased afterwards. */
export const users = new Set<string>()

/** Tokens of two test users, as `npm run acceptance` describes them. Each test takes both at most. */
const given = [process.env.SMOKE_TOKEN, process.env.SMOKE_OTHER_TOKEN].flatMap((token) =>
  token ? [{ id: subjectOf(token), token }] : [],
)

/** A token of the login. Skips the test when the login can't be asked for one with these claims. */
export async function tokenFor(user_id: string, claims: Record<string, unknown> = {}): Promise<string> {
  const { scope, ...others } = claims
  if (Object.keys(others).length > 0) skip(`no token can be had with ${Object.keys(others).join(', ')}`)
  if (scope !== undefined && profile !== 'full') skip('only the profile full has tokens with scopes')
  if (given.length > 0) skip('only two users are given')
  users.add(user_id)
  return issue(user_id, scope === undefined ? undefined : String(scope))
}

/** A new user, or with scopes one of the studio's services. */
export async function newIdentity(name: string, scope?: string): Promise<Identity> {
  const [next] = given
  if (next && scope === undefined) {
    given.push(...given.splice(0, 1))
    return next
  }
  const id = `acceptance-${name}-${crypto.randomUUID()}`
  return { id, token: await tokenFor(id, scope === undefined ? {} : { scope }) }
}

/** A token from TOKEN_COMMAND, or from a development server. */
export async function issue(user_id: string, scope: string | undefined): Promise<string> {
  const { TOKEN_COMMAND } = process.env
  if (TOKEN_COMMAND) {
    const env = { ...process.env, USER_ID: user_id, SCOPE: scope ?? '' }
    return (await promisify(execFile)('sh', ['-c', TOKEN_COMMAND], { env })).stdout.trim()
  }
  const answer = await fetch(`${service}/development/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id, scope }),
  })
  if (!answer.ok) skip(`the login gives no token for ${user_id} with the scope ${scope}`)
  return Token.parse(await answer.json()).token
}
