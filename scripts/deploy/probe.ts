/** Probes, before the Worker is deployed, that R2 accepts its signed URLs with its keys, and refuses copies. */
import { variablesOf } from './configuration.ts'
import { findCopyGuards } from './copy-probe.ts'
import type { Deployment } from './deployment.ts'
import { NoAnswer, ProbeBucket } from './probe-bucket.ts'
import { askFor, listed, refuseDevelopment, WHERE } from './secrets.ts'
import { type Action, note, type Step, Stopped } from './step.ts'

const KEYS = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']

const REMEDY =
  'The Worker that was deployed before goes on serving. Run the command again once the cause is removed. In an emergency, --skip-probe goes on without (docs/deploying.md#the-probe-of-the-bucket).'

/** Probes the bucket if this run has its keys, and writes the guards that the Worker has to sign into the settings. */
export function probe(deployment: Deployment): Step {
  const { settings, file, skipsProbe } = deployment
  const known = settings.copy_guards
  return {
    name: 'Probe of the bucket',
    remedy: REMEDY,
    doneMessage: skipsProbe
      ? 'skipped'
      : `not done again: ${known?.probed_on} is in ${file}. It is with ${KEYS.join(' and ')} in the environment`,
    plan: async () => {
      if (skipsProbe) {
        note(
          `Attention: --skip-probe. It is not known whether R2 takes what this Worker signs, or makes copies.`,
        )
        note(known ? `It signs the guards of ${known.probed_on}.` : 'It signs all guards.')
        return []
      }
      const source = await sourceOfKeys(deployment)
      return source === undefined ? [] : [actionFor(deployment, source)]
    },
  }
}

type Source = 'from the environment' | 'asked for'

/** The source of the bucket's keys for a probe; undefined when no probe is needed. */
async function sourceOfKeys(deployment: Deployment): Promise<Source | undefined> {
  const { settings, isLoggedIn, isDryRun, file } = deployment
  const unknown = KEYS.filter((name) => !process.env[name])
  if (unknown.length === 0) return 'from the environment'
  const existing = isLoggedIn ? await listed(deployment) : []
  const isSet = KEYS.every((name) => existing.includes(name))
  if (isSet && settings.copy_guards?.bucket === settings.bucket) return undefined
  if (isDryRun || process.stdin.isTTY) return 'asked for'
  if (!isSet) throw new Stopped(`Nothing says what these secrets are: ${unknown.join(', ')}`, WHERE)
  throw new Stopped(
    `The Worker has its keys, which nobody can read, and ${file} does not say what the bucket ${settings.bucket} does with copies.`,
    `Set ${KEYS.join(' and ')} in the environment to keys of this bucket, which may be new ones, or run the command on a terminal, which asks for them. --skip-probe goes on without (docs/deploying.md#the-probe-of-the-bucket).`,
  )
}

function actionFor(deployment: Deployment, source: Source): Action {
  const { settings, file } = deployment
  return {
    says: `probes ${settings.bucket} with ${KEYS.join(' and ')} (${source}), and writes which guards it takes into ${file}`,
    act: async () => {
      const keys = await keysOf()
      refuseDevelopment(KEYS, keys)
      const { S3_ENDPOINT = '', S3_BUCKET = '' } = variablesOf(settings)
      const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = keys
      const guards = await probed({ S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY })
      const probed_on = new Date().toISOString().slice(0, 10)
      deployment.note({ copy_guards: { bucket: settings.bucket, probed_on, ...guards } })
      // The next step sets the keys that the Worker lacks to the probed ones.
      Object.assign(deployment.keys, keys)
      const existing = await listed(deployment)
      if (KEYS.every((name) => existing.includes(name)))
        note('The Worker keeps the keys that it has: no one can read whether they are these.')
    },
  }
}

async function keysOf(): Promise<Record<string, string>> {
  const keys: Record<string, string> = {}
  for (const name of KEYS) keys[name] = process.env[name] || (await askFor(name))
  return keys
}

/** Runs the probe, and removes its objects whether it succeeds, fails or is interrupted. */
export async function probed(access: ConstructorParameters<typeof ProbeBucket>[0]) {
  const stop = new AbortController()
  const interrupt = () => stop.abort(new Stopped('Interrupted.', REMEDY))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, interrupt)
  const bucket = new ProbeBucket(access, stop.signal)
  try {
    await bucket.removeLeftovers()
    return await findCopyGuards(bucket)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    throw new Stopped(error.message, `Nothing is known without an answer. ${REMEDY}`)
  } finally {
    const left = await bucket.clean()
    if (left.length > 0) note(`May be left in the bucket, until a later probe removes it: ${left.join(', ')}`)
    for (const signal of signals) process.off(signal, interrupt)
  }
}
