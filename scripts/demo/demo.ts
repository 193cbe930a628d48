/** npm run demo [-- [FILE] [--port N]]: shows each feature on the running server. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { z } from 'zod'
import { developmentToken } from '../development.ts'
import { branchAndOutlive } from './branch.ts'
import { RequestError } from './client.ts'
import { type Content, contentOf, randomContent } from './content.ts'
import { notifyTwoDevices } from './notifications.ts'
import { fillAndFree } from './quota.ts'
import { NoServer, type Server, serverOn } from './server.ts'
import { shareAndRevoke } from './share.ts'
import { deleteAndRestore } from './trash.ts'
import { walk } from './walk.ts'
import { uploadWorld } from './world.ts'

const usage = 'npm run demo [-- [FILE] [--port N]]'

/** What the user can do about an error response. */
function hint({ code, request_id }: RequestError, port: number): string {
  if (code === 'UNAUTHENTICATED')
    return `The server on port ${port} was started from another folder, with another secret. Stop it, or use --port.`
  if (code === 'UNAVAILABLE') return 'Look at .dev.vars and at what the server printed; then try again.'
  if (code === 'FILE_INVALID_NAME') return 'Give the file another name.'
  if (code === 'QUOTA_EXCEEDED' || code === 'UPLOAD_TOO_LARGE') return 'Take a smaller file.'
  return request_id ? `The server's request id is ${request_id}.` : 'Look at what the server printed.'
}

function explain(error: unknown, port: number): string {
  if (error instanceof NoServer) return `${error.message}\nUse another port: npm run demo -- --port N`
  if (error instanceof RequestError)
    return `${error.request} was refused with ${error.status} ${error.code}: ${error.message}\n${hint(error, port)}`
  if (error instanceof z.ZodError) return `The answer is not as expected:\n${z.prettifyError(error)}`
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : error
  const isLost = 'code' in cause && /^(ECONN|EPIPE|UND_ERR)/.test(String(cause.code))
  return isLost ? `The server has gone: ${cause.message}. Look at what it printed.` : error.message
}

function exitWithUsage(reason: string): never {
  console.error(`${reason}\nUsage: ${usage}`)
  process.exit(2)
}

function asked(): { content: Content; port: number } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { port: { type: 'string', default: '8787' } },
    })
    const [path, ...rest] = positionals
    if (rest.length > 0) exitWithUsage('Name one file at most.')
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      exitWithUsage('--port takes a number from 1 to 65535.')
    // npm runs scripts in the project's folder. A path is relative to the user's folder.
    const from = process.env.INIT_CWD ?? process.cwd()
    return { content: path === undefined ? randomContent() : contentOf(resolve(from, path)), port }
  } catch (error) {
    return exitWithUsage(error instanceof Error ? error.message : String(error))
  }
}

const { content, port } = asked()
let server: Server | undefined
let isLeaving = false

/** Ends the demo early, and stops the server that it started. */
function leave(code: number): void {
  isLeaving = true
  Promise.resolve(server?.stop()).finally(() => process.exit(code))
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    console.error(`\nInterrupted by ${signal}.`)
    leave(130)
  })
// The reader of the output has closed it, as `head` does.
process.stdout.on('error', () => leave(1))

try {
  server = await serverOn(
    port,
    (origin) => console.log(`No server is up on ${origin}: starting one, for the time of this demo.`),
    (starting) => {
      server = starting
    },
  )
  const { origin } = server
  const name = `demo-${randomUUID().slice(0, 8)}`
  const signIn = async (id: string, scope?: string) => ({
    id,
    origin,
    token: await developmentToken(id, { scope }),
  })
  const [user, friend, operator, social] = await Promise.all([
    signIn(name),
    signIn(`${name}-friend`),
    signIn(`${name}-operator`, 'quota:write'),
    signIn(`${name}-social`, 'notifications:publish'),
  ])
  console.log(`On ${origin}, as ${user.id}, with "${content.name}" (${content.mime_type})`)
  const stored = await walk(user, friend, content)
  await deleteAndRestore(user, stored)
  await shareAndRevoke(user, friend, stored)
  await fillAndFree(user, operator, stored)
  await branchAndOutlive(user, friend, await uploadWorld(user, operator))
  await notifyTwoDevices(user, social)
  console.log(styleText('bold', '\nDone: what came back is what was sent, on every device.'))
} catch (error) {
  if (!isLeaving) console.error(`\n${explain(error, port)}`)
  process.exitCode = 1
} finally {
  await server?.stop()
}
