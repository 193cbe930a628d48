/** npm run smoke -- URL: asks a running service for one thing of each kind, and removes what it has made. */
import { styleText } from 'node:util'
import { type Client, createClient, type Inbox, ServiceError } from '#client'
import { randomContent, receive, requireSame, sha256 } from './demo/content.ts'
import { refused } from './demo/user.ts'
import { orRefuse, refuse } from './usage.ts'

const usage = `Usage: npm run smoke -- URL

Checks a running service: health, a token, an upload, a download, a share and a socket. Removes what it has made.

It acts as two test users of your login. Their tokens come from the environment:
  SMOKE_TOKEN           the access token of a user
  SMOKE_OTHER_TOKEN     the access token of another user, with whom a file is shared
  SMOKE_OTHER_USER      the id of that other user (the sub of the token)
A development server makes its own tokens, so there nothing has to be set.`

/** How long each step may take. */
const PATIENCE_MS = 30_000

const [address, ...rest] = process.argv.slice(2)
if (address === undefined || rest.length > 0) refuse('Name the address of one service.', usage)
const origin = orRefuse(() => new URL(address).origin, usage)

/** The two users, with clients that have their tokens. */
interface Users {
  client: Client
  other: { id: string; client: Client }
}

let failed = 0
let created: { file_id?: string; users?: Users } = {}
try {
  await step('health', checkHealth)
  const users = await step('tokens', signIn)
  created = { users }
  const content = randomContent(`smoke-${crypto.randomUUID()}.bin`, 50_000)
  const digest = await sha256(content)
  const requireArrived = async (answer: Response) => {
    if (!answer.ok) throw new Error(`The download answered ${answer.status}.`)
    requireSame(await receive(answer), content.size, digest)
  }
  const file = await step('upload', async () => {
    const { file } = await users.client.upload(content)
    created.file_id = file.id
    return file
  })
  await step('download', async () => requireArrived(await users.client.download({ file_id: file.id })))
  await step('share', async () => {
    const { id } = await users.client.createShare({
      id: file.id,
      grantee_id: users.other.id,
      permission: 'view',
    })
    await requireArrived(await users.other.client.download({ share_id: id }))
    await users.client.revokeShare({ id })
    await refused('SHARE_NOT_FOUND', users.other.client.getSharedUrl({ id }))
  })
  await step('socket', async () => {
    const inbox = users.client.inbox()
    await snapshotOf(inbox).finally(() => inbox.close())
  })
} catch {
  failed++
} finally {
  await removeWhatWasMade()
}
console.log(failed === 0 ? `\n${origin} works.` : `\n${origin} does not work: see above.`)
process.exit(failed === 0 ? 0 : 1)

async function checkHealth(): Promise<void> {
  const answer = await fetch(`${origin}/readyz`)
  if (!answer.ok) throw new Error(`/readyz answered ${answer.status}: ${await answer.text()}`)
}

/** Takes the tokens from the environment, or from a development server. */
async function signIn(): Promise<Users> {
  const { SMOKE_TOKEN, SMOKE_OTHER_TOKEN, SMOKE_OTHER_USER } = process.env
  const made_up = crypto.randomUUID()
  const isGiven = SMOKE_TOKEN && SMOKE_OTHER_TOKEN && SMOKE_OTHER_USER
  const [token, other_token, id] = isGiven
    ? [SMOKE_TOKEN, SMOKE_OTHER_TOKEN, SMOKE_OTHER_USER]
    : [await madeUp(`smoke-${made_up}`), await madeUp(`smoke-other-${made_up}`), `smoke-other-${made_up}`]
  const client = createClient({ baseUrl: origin, token })
  const other = { id, client: createClient({ baseUrl: origin, token: other_token }) }
  await Promise.all([client.getQuota(), other.client.getQuota()])
  return { client, other }
}

async function madeUp(user_id: string): Promise<string> {
  const answer = await fetch(`${origin}/development/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id }),
  })
  if (!answer.ok)
    throw new Error('This is no development server: set SMOKE_TOKEN, SMOKE_OTHER_TOKEN and SMOKE_OTHER_USER.')
  const body: unknown = await answer.json()
  if (typeof body !== 'object' || body === null || !('token' in body) || typeof body.token !== 'string')
    throw new Error('POST /development/token answered no token.')
  return body.token
}

/** Waits until the socket has told the state of the inbox. */
function snapshotOf(inbox: Inbox): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  inbox.on('error', reject)
  const look = () => {
    if (inbox.state.name === 'connected' && inbox.snapshot) resolve(inbox.snapshot)
  }
  inbox.on('state', look)
  inbox.on('change', look)
  look()
  return promise
}

/** The file in the trash, and then for good. A file that was not made is no failure. */
async function removeWhatWasMade(): Promise<void> {
  const { file_id: id, users } = created
  if (id === undefined || users === undefined) return
  await step('clean up', async () => {
    await users.client.deleteFile({ id })
    await users.client.purgeFile({ id })
    await refused('FILE_NOT_FOUND', users.client.getFile({ id }))
  }).catch(() => failed++)
}

/** Does one step and prints how long it took, or why it failed. @throws what the step throws */
async function step<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`)),
    PATIENCE_MS,
  )
  try {
    const result = await Promise.race([act(), late.promise])
    console.log(`${styleText('green', '✓')} ${name.padEnd(10)} ${Math.round(performance.now() - began)} ms`)
    return result
  } catch (error) {
    console.log(`${styleText('red', '✗')} ${name.padEnd(10)} ${describe(error)}`)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function describe(error: unknown): string {
  if (error instanceof ServiceError) return `${error.code}: ${error.detail} (request ${error.request_id})`
  return error instanceof Error ? error.message : String(error)
}
