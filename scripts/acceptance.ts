/** npm run acceptance -- URL: the black-box tests of test/ against a running service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import { byHand } from './acceptance/by-hand.ts'
import { project } from './development.ts'
import { orRefuse, readArguments, refuse } from './usage.ts'

const profiles = {
  smoke: 'the main features, as two users. A deployment is checked by it',
  core: 'what a player can do. A release is checked by it',
  full: 'also what the studio’s services can do, and what only the platform can show. For a deployment without players yet',
}

const usage = `Usage: npm run acceptance -- URL [--profile smoke|core|full] [--long] [FILE …]
       npm run acceptance -- --list

Runs the black-box tests of test/ against a running service, and removes what they have made. A test that looks inside the service is
skipped. FILE runs only the files of tests whose path has this text.

${Object.entries(profiles)
  .map(([name, text]) => `  ${name.padEnd(6)}  ${text}`)
  .join('\n')}
  --long  also the tests that take a minute or an hour
  --list  prints what no request can show, with the command to type

A development server makes its own tokens. Elsewhere they come from the environment:
  TOKEN_COMMAND             a command that prints a token of your login, for the user $USER_ID with the scopes $SCOPE
  SMOKE_TOKEN, SMOKE_OTHER_TOKEN   for smoke, instead of it: the tokens of two test users
  SMOKE_ERASE_TOKEN         for smoke: a token with the scope users:erase. Erases the two users, if they had nothing before
For full:
  ALLOWED_ORIGIN            a web origin that the settings allow, as in https://game.example
  EXPIRED_TOKEN             a token of your login that has expired
  FOREIGN_TOKEN             a token of your login for another audience
  ACCEPTANCE_MULTIPART_BYTES   a size above MULTIPART_THRESHOLD, whose last part is small. Without it no upload comes in parts`

const { values, positionals } = readArguments(
  usage,
  {
    profile: { type: 'string', default: 'core' },
    long: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
  { takesOthers: true },
)
if (values.list) {
  listByHand()
  process.exit(0)
}
const profile = orRefuse(() => z.enum(['smoke', 'core', 'full']).parse(values.profile), usage)
const [address, ...paths] = positionals
if (address === undefined) refuse('Name the address of one service.', usage)
const origin = orRefuse(() => new URL(address).origin, usage)
const isDevelopment = await givesTokens()
const { TOKEN_COMMAND, SMOKE_TOKEN, SMOKE_OTHER_TOKEN } = process.env
const areGiven = profile === 'smoke' && SMOKE_TOKEN && SMOKE_OTHER_TOKEN
if (!isDevelopment && !TOKEN_COMMAND && !areGiven)
  refuse(
    'This is no development server: set TOKEN_COMMAND, or for smoke SMOKE_TOKEN and SMOKE_OTHER_TOKEN.',
    usage,
  )

const files = paths.length > 0 || profile !== 'smoke' ? paths : ['test/acceptance/smoke']
const options = [
  ...['run', '--config', 'scripts/acceptance/vitest.config.ts', ...files],
  ...['--tags-filter', values.long ? '!runtime' : '!runtime && !long'],
  ...(profile === 'smoke' ? ['--reporter', 'verbose'] : []),
]
const tests = spawn(process.execPath, [`${project}node_modules/vitest/vitest.mjs`, ...options], {
  cwd: project,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: {
    ...process.env,
    ACCEPTANCE_URL: origin,
    ACCEPTANCE_PROFILE: profile,
    ACCEPTANCE_DEVELOPMENT: isDevelopment ? '1' : '',
    ...(!areGiven && { SMOKE_TOKEN: '', SMOKE_OTHER_TOKEN: '' }),
  },
})
const [code] = await once(tests, 'close')
console.log(code === 0 ? `\n${origin} works.` : `\n${origin} does not work: see above.`)
if (profile === 'full') listByHand()
process.exit(code === 0 ? 0 : 1)

/** Whether it is a development server. Ends the process when nothing answers. */
async function givesTokens(): Promise<boolean> {
  const asked = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"user_id":"acceptance"}',
  }
  const answer = await fetch(`${origin}/development/token`, asked).catch((error: unknown) => {
    const reason = error instanceof Error ? (error.cause ?? error) : error
    console.error(`${origin} can't be reached: ${reason instanceof Error ? reason.message : reason}`)
    process.exit(1)
  })
  return answer.ok
}

function listByHand(): void {
  console.log('\nWhat no request can show:')
  for (const { name, do: act, must } of byHand) console.log(`☐ ${name}: ${act}\n    must  ${must}`)
}
