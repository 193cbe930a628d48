/** npm run smoke -- URL: tries each main feature of a running service, and removes everything it has created. */
import { styleText } from 'node:util'
import { type Client, createClient, type Inbox, ServiceError } from '#client'
import { createStudio, type Studio } from '#client/studio'
import { randomContent, receive, requireSame, sha256 } from './demo/content.ts'
import { refused } from './demo/user.ts'
import { orRefuse, refuse } from './usage.ts'

const usage = `Usage: npm run smoke -- URL

Checks a running service: health, a token, small content in one request, an upload, a download, a share and a socket. Removes
everything it has created: the files and the share, or, with SMOKE_ERASE_TOKEN, both users.

It acts as two test users of your login. Their tokens come from the environment:
  SMOKE_TOKEN           the access token of a user
  SMOKE_OTHER_TOKEN     the access token of another user, with whom a file is shared
  SMOKE_OTHER_USER      the id of that other user (the sub of the token)
  SMOKE_ERASE_TOKEN     a token with the scope users:erase; erases the two users in the end, if they had nothing before
A development server makes its own tokens and needs none of these.`

/** The time limit of a step. */
const PATIENCE_MS = 30_000

const [address, ...rest] = process.argv.slice(2)
if (address === undefined || rest.length > 0) refuse('Name the address of one service.', usage)
const origin = orRefuse(() => new URL(address).origin, usage)

/** A client for each of the two test users. */
interface Users {
  client: Client
  other: { id: string; client: Client }
  /** Erases both users at the end. Undefined without a token that may erase users. */
  erasing?: { studio: Studio; ids: string[] }
}

let failed = 0
let created: { name: string; users: Users } | undefined
try {
  await step('health', checkHealth)
  const users = await step('tokens', signIn)
  const content = randomContent(`smoke-${crypto.randomUUID()}.bin`, 50_000)
  created = { users, name: content.name }
  const digest = await sha256(content)
  const requireArrived = async (answer: Response) => {
    if (!answer.ok) throw new Error(`The download answered ${answer.status}.`)
    requireSame(await receive(answer), content.size, digest)
  }
  await step('content', async () => {
    const { id: file_id, size_bytes } = await users.client.files.upload({ content })
    await requireArrived(await users.client.files.download({ id: file_id, size_bytes }))
  })
  const file = await step('upload', async () => {
    // With `onStarted` the content goes straight to storage, which checks the signatures.
    const file = await users.client.files.upload({ content }, { onStarted: () => {} })
    return file
  })
  await step('download', async () => requireArrived(await users.client.files.download({ id: file.id })))
  await step('share', async () => {
    const { id } = await users.client.shares.create({
      id: file.id,
      grantee_id: users.other.id,
      permission: 'view',
    })
    await requireArrived(await users.other.client.shares.download({ id }))
    await users.client.shares.revoke({ id })
    await refused('SHARE_NOT_FOUND', users.other.client.shares.getUrl({ id }))
  })
  await step('socket', async () => {
    const inbox = users.client.inbox.open()
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
  const { SMOKE_TOKEN, SMOKE_OTHER_TOKEN, SMOKE_OTHER_USER, SMOKE_ERASE_TOKEN } = process.env
  const made_up = crypto.randomUUID()
  const isGiven = SMOKE_TOKEN && SMOKE_OTHER_TOKEN && SMOKE_OTHER_USER
  const [token, other_token, id] = isGiven
    ? [SMOKE_TOKEN, SMOKE_OTHER_TOKEN, SMOKE_OTHER_USER]
    : [await madeUp(`smoke-${made_up}`), await madeUp(`smoke-other-${made_up}`), `smoke-other-${made_up}`]
  const client = createClient({ baseUrl: origin, token })
  const other = { id, client: createClient({ baseUrl: origin, token: other_token }) }
  const areNew = (await Promise.all([client, other.client].map(isNew))).every(Boolean)
  const eraser = isGiven ? SMOKE_ERASE_TOKEN : await madeUp('smoke-eraser', 'users:erase')
  if (!eraser) return { client, other }
  if (!areNew)
    throw new Error(
      'One of the two users has content of its own, which would be erased: use two empty users, or unset SMOKE_ERASE_TOKEN.',
    )
  const erasing = { studio: createStudio({ baseUrl: origin, token: eraser }), ids: [subjectOf(token), id] }
  return { client, other, erasing }
}

/** Whether a user has no content that an erasure would remove. */
async function isNew(client: Client): Promise<boolean> {
  const one = { limit: 1 }
  const lists = [
    client.files.list(one),
    client.trash.list(one),
    client.assets.list(one),
    client.assets.list({ ...one, deleted: true }),
    client.shares.listSharedWithMe(one),
    client.inbox.list(one),
  ]
  const [{ used_bytes }, ...areEmpty] = await Promise.all([client.quota.get(), ...lists.map(isEmpty)])
  return used_bytes === 0 && areEmpty.every(Boolean)
}

async function isEmpty(list: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of list) return false
  return true
}

/** The user that a token is for. */
function subjectOf(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (typeof claims !== 'object' || claims === null || !('sub' in claims) || typeof claims.sub !== 'string')
    throw new Error('SMOKE_TOKEN names no user.')
  return claims.sub
}

async function madeUp(user_id: string, scope?: string): Promise<string> {
  const answer = await fetch(`${origin}/development/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id, scope }),
  })
  if (!answer.ok)
    throw new Error('This is no development server: set SMOKE_TOKEN, SMOKE_OTHER_TOKEN and SMOKE_OTHER_USER.')
  const body: unknown = await answer.json()
  if (typeof body !== 'object' || body === null || !('token' in body) || typeof body.token !== 'string')
    throw new Error('POST /development/token answered no token.')
  return body.token
}

/** Waits until the inbox is connected and has its first snapshot. */
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

/**
 * Removes what this run has created, also after a failed step: the file (complete or not) with its share, or both users.
 */
async function removeWhatWasMade(): Promise<void> {
  if (!created) return
  const { name, users } = created
  const { client, erasing } = users
  await step('clean up', async () => {
    const { files } = await client.files.list({ sort: 'created_at', limit: 20 }).page()
    for (const { id } of files.filter((file) => file.name === name)) {
      await client.files.delete({ id })
      await client.trash.delete({ id })
      await refused('FILE_NOT_FOUND', client.files.get({ id }))
    }
    for (const user_id of erasing?.ids ?? []) await erasing?.studio.users.erase({ user_id })
  }).catch(() => failed++)
  if (failed === 0 && !erasing)
    console.log('The two users stay, with nothing in their accounts. With SMOKE_ERASE_TOKEN they are erased.')
}

/** Runs a step, and prints its duration or its error. @throws the error of the step */
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
