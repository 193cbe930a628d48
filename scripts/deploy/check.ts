/** The last step: checks that the deployment works. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { styleText } from 'node:util'
import { mintToken } from '../../src/local/mint.ts'
import { project } from '../development.ts'
import type { Deployment } from './deployment.ts'
import { domainsOf } from './settings.ts'
import { note, type Step } from './step.ts'
import { rollbackTo } from './wrangler.ts'

/** A new domain needs time for its certificate and its DNS record. */
const PATIENCE_MS = 180_000
const PAUSE_MS = 500

/** Waits until the service is ready, then runs the acceptance tests of the profile smoke if there are tokens for them. */
export function check(deployment: Deployment): Step {
  const { settings } = deployment
  return {
    name: 'Check',
    remedy: `The new version serves. To go back: ${rollbackTo(undefined, settings.name)}\nWhat it says: npx wrangler tail ${settings.name}`,
    plan: async () => {
      const known =
        deployment.urls.length > 0 ? deployment.urls : domainsOf(settings).map((host) => `https://${host}`)
      const [url = 'its address', ...others] = known
      const tokens = await smokeTokens(deployment)
      if (!tokens)
        note(
          'Not checked: an upload, a download, a share, a save, a socket. Set SMOKE_TOKEN and SMOKE_OTHER_TOKEN.',
        )
      const waits = [url, ...others].map((one) => ({
        says: `waits until ${one} is ready`,
        act: () => untilReady(one),
      }))
      return tokens
        ? [...waits, { says: `npm run acceptance -- ${url} --profile smoke`, act: () => smoke(url, tokens) }]
        : waits
    },
  }
}

/** The environment for the tests: empty if its tokens are set already, else tokens signed with this run's JWT_SECRET. */
async function smokeTokens({ secrets, settings }: Deployment): Promise<NodeJS.Dict<string> | undefined> {
  const { SMOKE_TOKEN, SMOKE_OTHER_TOKEN, TOKEN_COMMAND } = process.env
  if ((SMOKE_TOKEN && SMOKE_OTHER_TOKEN) || TOKEN_COMMAND) return {}
  if (secrets.JWT_SECRET === undefined) return undefined
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = settings.variables
  const signing = { secret: secrets.JWT_SECRET, issuer, audience }
  const [user, other] = [`smoke-${crypto.randomUUID()}`, `smoke-${crypto.randomUUID()}`]
  const tokenOf = async (user_id: string, scope?: string) =>
    (await mintToken(signing, { user_id, scope, expires_in: 600 })).token
  return {
    SMOKE_TOKEN: await tokenOf(user),
    SMOKE_OTHER_TOKEN: await tokenOf(other),
    SMOKE_ERASE_TOKEN: await tokenOf('smoke-eraser', 'users:erase'),
  }
}

async function untilReady(url: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const answer = await readiness(url)
    if (answer === undefined) break
    if (Date.now() > end) throw new Error(`${url} is not ready: ${answer}`)
    await pause(PAUSE_MS)
  }
  console.log(`  ${styleText('green', '✓')} ready`)
}

/** Why a service is not ready; undefined when it is. */
async function readiness(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(10_000) })
    return answer.ok ? undefined : `/readyz answered ${answer.status}: ${await answer.text()}`
  } catch (error) {
    return error instanceof Error ? String(error.cause ?? error.message) : String(error)
  }
}

async function smoke(url: string, tokens: NodeJS.Dict<string>): Promise<void> {
  const child = spawn(process.execPath, [`${project}scripts/acceptance.ts`, url, '--profile', 'smoke'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...tokens },
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('npm run acceptance failed: see above.')
}
