/** Collects the secrets that the Worker lacks, from the environment, the terminal, or generated. None is written into a file. */
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { z } from 'zod'
import { variablesOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { whyOfDevelopment } from './refusals.ts'
import { NAMES_OF_SECRETS } from './settings.ts'
import { note, type Step, Stopped } from './step.ts'
import { problemsOf } from './variables.ts'
import { type Wrangler, WranglerFailed } from './wrangler.ts'

const Listed = z.array(z.object({ name: z.string() }))

/** The remedy for a missing secret. */
export const WHERE = `The R2 API token is made in the dashboard (R2, "Manage API tokens": Object Read & Write, this bucket only). Run the command on a terminal, which asks for what is missing, or set the variables of the environment.`

/** Collects the missing secrets, which are set with the Worker (publish.ts). Existing ones stay. */
export function secrets(deployment: Deployment): Step {
  const { settings, file, isDryRun } = deployment
  return {
    name: 'Secrets',
    remedy: WHERE,
    doneMessage: 'all are set',
    plan: async () => {
      const existing = deployment.isLoggedIn ? await listed(deployment) : []
      const stray = existing.filter((name) => name === 'DEVELOPMENT' || name in variablesOf(settings))
      if (settings.variables.JWKS_URL !== undefined && existing.includes('JWT_SECRET'))
        stray.push('JWT_SECRET')
      if (stray.length > 0)
        throw new Stopped(
          `The Worker has secrets that conflict with ${file}: ${stray.join(', ')}`,
          stray.map((name) => `npx wrangler secret delete ${name} --name ${settings.name}`).join('\n'),
        )
      const missing = neededIn(deployment).filter((name) => !existing.includes(name))
      const unknown = missing.filter((name) => !process.env[name] && !deployment.keys[name])
      if (unknown.length > 0 && !isDryRun && !process.stdin.isTTY)
        throw new Stopped(`Nothing says what these secrets are: ${unknown.join(', ')}`, WHERE)
      if (missing.length === 0) return []
      const sourceOf = (name: string) =>
        unknown.includes(name) ? 'asked for' : process.env[name] ? 'from the environment' : 'as probed'
      const sources = missing.map((name) => `${name} (${sourceOf(name)})`)
      const says = `sets ${sources.join(', ')} with the Worker`
      return [{ says, act: () => collect(deployment, missing, existing) }]
    },
  }
}

/** @throws Stopped when the environment has a development value for a secret that this deployment needs */
export function refuseEnvironment(deployment: Deployment): void {
  refuseDevelopment(neededIn(deployment), process.env)
}

function neededIn({ settings }: Deployment): string[] {
  const { JWKS_URL, WEBHOOK_URL, CONTENT_CHECK_URL } = settings.variables
  const hasChecker = CONTENT_CHECK_URL !== undefined || settings.content_checker !== undefined
  const isNeeded: Record<string, boolean> = {
    JWT_SECRET: JWKS_URL === undefined,
    WEBHOOK_SECRET: WEBHOOK_URL !== undefined,
    CONTENT_CHECK_SECRET: hasChecker,
  }
  return NAMES_OF_SECRETS.filter((name) => isNeeded[name] ?? true)
}

/** @throws Stopped when one of the named values is a development secret */
export function refuseDevelopment(names: string[], values: NodeJS.Dict<string>): void {
  const found = names.flatMap((name) => {
    const why = whyOfDevelopment(values[name] ?? '')
    return why === undefined ? [] : [`${name} ${why}`]
  })
  if (found.length > 0) throw new Stopped(found.join('\n'), WHERE)
}

/** The names of the Worker's secrets, listed once a run. None if the Worker does not exist yet. */
export async function listed(deployment: Deployment): Promise<string[]> {
  const { wrangler, settings } = deployment
  deployment.namesOfSecrets ??= (await secretsOf(wrangler, settings.name)) ?? []
  return deployment.namesOfSecrets
}

/** The names of the secrets of a Worker; undefined when there is no such Worker. */
export async function secretsOf(wrangler: Wrangler, worker: string): Promise<string[] | undefined> {
  try {
    const answer = await wrangler.json(['secret', 'list', '--format', 'json', '--name', worker])
    return Listed.parse(answer).map(({ name }) => name)
  } catch (error) {
    if (error instanceof WranglerFailed && /Worker ".*" not found/.test(error.message)) return undefined
    throw error
  }
}

async function collect(deployment: Deployment, missing: string[], existing: string[]): Promise<void> {
  const { settings, secrets, keys } = deployment
  for (const name of missing) secrets[name] = keys[name] || process.env[name] || (await askFor(name))
  refuseDevelopment(missing, secrets)
  const known = Object.fromEntries(existing.map((name) => [name, placeholderSecret(name)]))
  const bindings = settings.databases.map(({ binding }) => binding)
  const all = { ...variablesOf(settings), ...known, ...secrets }
  const problems = await problemsOf(all, bindings)
  if (problems.length > 0) throw new Stopped(problems.join('\n'), WHERE)
}

/** A valid placeholder for each secret that the Worker needs, to check the variables before the real ones are known. */
export function placeholderSecrets(deployment: Deployment): Record<string, string> {
  return Object.fromEntries(neededIn(deployment).map((name) => [name, placeholderSecret(name)]))
}

function placeholderSecret(name: string): string {
  return generators[name]?.() ?? '0'.repeat(32)
}

/** Generators of the secrets that may have any value. */
const generators: Record<string, () => string> = {
  JWT_SECRET: () => randomBytes(32).toString('base64url'),
  WEBHOOK_SECRET: () => `whsec_${randomBytes(32).toString('base64')}`,
  CONTENT_CHECK_SECRET: () => `whsec_${randomBytes(32).toString('base64')}`,
}

/** The other party that needs a generated secret. */
const users: Record<string, string> = {
  JWT_SECRET: 'Your login signs tokens with it (HS256).',
  WEBHOOK_SECRET: 'The receiver of your webhooks checks their signatures with it.',
  CONTENT_CHECK_SECRET: 'Your checker of content checks the signatures of its requests with it.',
}

/** Asks for a secret on the terminal, without echo. */
export async function askFor(name: string): Promise<string> {
  const generate = generators[name]
  process.stdout.write(`    ${name}${generate ? ' (nothing: generate one)' : ''}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = (await terminal.question('')).trim()
  terminal.close()
  process.stdout.write('\n')
  if (answer !== '') return answer
  if (!generate) throw new Stopped(`${name} is needed.`, WHERE)
  const generated = generate()
  note(`${name} is ${generated}`)
  note(`${users[name]} It is shown this once: keep it where its secrets are.`)
  note('It is set when the Worker is deployed. After a failure before that, the next run asks again.')
  return generated
}
