/** Deploys the Worker with its secrets, pages, Durable Object classes, schedule and rate limits. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { folderOf, isJobOff } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { servingVersion } from './serving.ts'
import { domainsOf, type Settings } from './settings.ts'
import { note, type Step, Stopped } from './step.ts'
import { IMMEDIATELY, rollbackTo, WranglerFailed } from './wrangler.ts'

/** A line of wrangler's report of a deployment (WRANGLER_OUTPUT_FILE_PATH). */
const Line = z.looseObject({
  type: z.string(),
  targets: z.array(z.string()).optional(),
  version_id: z.string().nullish(),
})

export function publish(deployment: Deployment): Step {
  const { wrangler, settings, secrets } = deployment
  return {
    name: 'Worker',
    remedy:
      'The Worker that was deployed before goes on serving. Run the command again once the cause is removed.',
    plan: async () => {
      const domains = domainsOf(settings)
      const where = domains.map((host) => `https://${host}`).join(', ') || 'workers.dev'
      const deploy = async () => {
        const { path } = deployment.written()
        const report = join(folderOf(settings), 'deployed.ndjson')
        rmSync(report, { force: true })
        const before = await servingVersion(wrangler, settings.name)
        try {
          // Secrets that the Worker has already stay. `wrangler secret bulk` fails after a rollback (error 10214).
          const input = Object.keys(secrets).length > 0 ? JSON.stringify(secrets) : undefined
          const out = await wrangler.run(
            [
              ...['deploy', '--config', path],
              ...(input === undefined ? [] : ['--secrets-file', '/dev/stdin']),
              // An object with a backlog is active for as long as it has one, and would not know that the job is off.
              ...(isJobOff(settings) ? IMMEDIATELY : []),
            ],
            { input, environment: { WRANGLER_OUTPUT_FILE_PATH: report } },
          )
          const [, start_up] = /Worker Startup Time: (\d+ ms)/.exec(out) ?? []
          if (start_up !== undefined) note(`start-up time ${start_up}`)
        } catch (error) {
          if (error instanceof WranglerFailed) await refuseIfLive(deployment, before, error)
          throw error
        }
        const { targets = [], version_id } = deployedIn(report)
        deployment.urls = targets.flatMap((target) => addressOf(target, domains))
        note(
          `version ${version_id ?? 'unknown'} at ${deployment.urls.join(', ') || 'an address that wrangler did not tell'}`,
        )
      }
      return [
        {
          says: `deploys ${settings.name} to ${where}, ${scheduleOf(settings)}`,
          act: deploy,
        },
      ]
    },
  }
}

/** Whether and when the job runs, in words. */
function scheduleOf({ cron, variables }: Settings): string {
  if (cron === null) return 'with the job off'
  return variables.JOB === 'off' ? `with the schedule ${cron}, and the job off` : `with the schedule ${cron}`
}

function deployedIn(report: string): Partial<z.output<typeof Line>> {
  const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').filter(Boolean) : []
  return lines.map((line) => Line.parse(JSON.parse(line))).find(({ type }) => type === 'deploy') ?? {}
}

/** The URL in a target of wrangler's report: `https://…`, or a domain and its kind of route. Schedules and queues have none. */
function addressOf(target: string, domains: string[]): string[] {
  if (/^https?:/.test(target)) return [target]
  return domains.filter((host) => host === target.split(' ', 1)[0]).map((host) => `https://${host}`)
}

/**
 * wrangler uploads the code first, and then sets domains, schedule and queues. If one of these fails, the new code is live.
 *
 * @throws Stopped when another version serves than before, or when the serving version is unknown
 */
async function refuseIfLive(
  { wrangler, settings: { name } }: Deployment,
  before: string | undefined,
  error: WranglerFailed,
): Promise<void> {
  const back =
    before === undefined
      ? `There is no version before it. To have nothing served: npx wrangler delete --name ${name}`
      : `To go back: ${rollbackTo(before, name)}`
  const now = await servingVersion(wrangler, name).catch(() => {
    throw new Stopped(
      error.message,
      `Whether the new code serves is not known: Cloudflare does not say. Ask again, npx wrangler deployments status --name ${name}, and run the command again once the cause is removed, which is safe. ${back}`,
    )
  })
  if (now === undefined || now === before) return
  throw new Stopped(
    error.message,
    `The new code is live already: version ${now} serves where the Worker could be reached before. Domains, schedule or queues are as far as the message says. Remove the cause and run the command again, which is safe. ${back}`,
  )
}
