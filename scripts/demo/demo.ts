/** npm run demo [-- [FILE] [--all] [--port N]]: shows each feature on the running server. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { NetworkError, ServiceError } from '#client'
import { branchAndOutlive } from './branch.ts'
import { type Content, contentOf, randomContent } from './content.ts'
import { Device } from './device.ts'
import { announce, giveGifts } from './gifts.ts'
import { moderate } from './moderation.ts'
import { uploadWorld } from './multipart.ts'
import { notifyTwoDevices } from './notifications.ts'
import { printFact, printStep } from './print.ts'
import { fillAndFree } from './quota.ts'
import { recallSaves } from './recall.ts'
import { releaseAndGoBack } from './releases.ts'
import { NoServer, type Server, serverOn } from './server.ts'
import { shareAndRevoke } from './share.ts'
import { showAll } from './short.ts'
import { deleteAndRestore } from './trash.ts'
import { printed, signIn } from './user.ts'
import { walk } from './walk.ts'
import { publishWorlds } from './worlds.ts'

const usage = `npm run demo [-- [FILE] [--all] [--port N]]
  FILE      a file of yours to store, in place of random bytes
  --all     every step with its requests and answers
  --port N  the port of the server, 8787 by default`

/** Advice for the user about an error response. */
function hint({ code, request_id }: ServiceError, port: number): string {
  if (code === 'UNAUTHENTICATED')
    return `The server on port ${port} was started from another folder, with another secret. Stop it, or use --port.`
  if (code === 'UNAVAILABLE') return 'Look at .dev.vars and at what the server printed; then try again.'
  if (code === 'FILE_INVALID_NAME') return 'Give the file another name.'
  if (code === 'QUOTA_EXCEEDED' || code === 'UPLOAD_TOO_LARGE') return 'Take a smaller file.'
  return `The server's request id is ${request_id}.`
}

function explain(error: unknown, port: number): string {
  if (error instanceof NoServer) return `${error.message}\nUse another port: npm run demo -- --port N`
  if (error instanceof ServiceError)
    return `A request was refused with ${error.status} ${error.code}: ${error.message}\n${hint(error, port)}`
  if (error instanceof NetworkError)
    return `The server does not answer any more: ${error.message} Look at what it printed.`
  return error instanceof Error ? error.message : String(error)
}

function exitWithUsage(reason: string): never {
  console.error(`${reason}\nUsage: ${usage}`)
  process.exit(2)
}

async function parseArguments(): Promise<{ content: Content; port: number; isLong: boolean }> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        port: { type: 'string', default: '8787' },
      },
    })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    const [path, ...rest] = positionals
    if (rest.length > 0) exitWithUsage('Name one file at most.')
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      exitWithUsage('--port takes a number from 1 to 65535.')
    // npm runs scripts in the project's folder. A path is relative to the user's folder.
    const from = process.env.INIT_CWD ?? process.cwd()
    const content = path === undefined ? randomContent() : await contentOf(resolve(from, path))
    return { content, port, isLong: values.all }
  } catch (error) {
    return exitWithUsage(error instanceof Error ? error.message : String(error))
  }
}

const { content, port, isLong } = await parseArguments()
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
// The reader of the output, for example `head`, has closed it.
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
  console.log(`On ${origin}, with "${content.name}" (${content.type}), as made-up users`)
  if (isLong) await showEachStep(origin, name)
  else {
    console.log()
    await showAll(origin, name, content)
  }
  console.log(`What came back is what was sent, on every device.\n\n${whereNext(server)}`)
} catch (error) {
  if (!isLeaving) console.error(`\n${explain(error, port)}`)
  process.exitCode = 1
} finally {
  await server?.stop()
}

/** Shows every step, with its requests and answers. */
async function showEachStep(origin: string, name: string): Promise<void> {
  const [user, friend, creator, operator, social, studio, moderator, other, recaller] = await Promise.all([
    signIn(origin, name, printed),
    signIn(origin, `${name}-friend`, printed),
    signIn(origin, `${name}-creator`, printed),
    signIn(origin, `${name}-operator`, printed, 'quota:write'),
    signIn(origin, `${name}-social`, printed, 'notifications:publish'),
    signIn(origin, `${name}-studio`, printed, 'announcements:publish'),
    signIn(origin, `${name}-moderator`, printed, 'content:moderate'),
    signIn(origin, `${name}-other-moderator`, printed, 'content:moderate'),
    signIn(origin, `${name}-recaller`, printed, 'saves:recall players:read'),
  ])
  const stored = await walk(user, friend, content)
  await deleteAndRestore(user, stored)
  await shareAndRevoke(user, friend, stored)
  await fillAndFree(user, operator, stored)
  await branchAndOutlive(user, friend, await uploadWorld(user, operator))
  await notifyTwoDevices(user, social)
  const phone = new Device('phone', origin, user.token, printed)
  const output = { step: printStep, fact: printFact }
  try {
    await giveGifts([user, friend], social, phone, output)
    await announce(user, studio, phone, output)
  } finally {
    phone.inbox.close()
  }
  await publishWorlds(creator, friend, printed, output)
  await releaseAndGoBack({ creator, tester: user, player: friend }, output)
  await moderate({ creator, player: friend, moderator, other }, output)
  await recallSaves(friend, recaller, output)
  console.log()
}

/** The pages to open next. */
function whereNext({ origin, isOurs }: Server): string {
  const row = (name: string, value: string) => `  ${styleText('dim', name.padEnd(12))}${value}`
  return [
    isOurs ? 'Next, start a server with npm run dev, and open' : 'Next, open',
    row('the page', `${origin}/`),
    row('reference', `${origin}/docs`),
    row('guides', `${origin}/guides/`),
    ...(isLong ? [] : [row('all steps', 'npm run demo -- --all')]),
  ].join('\n')
}
