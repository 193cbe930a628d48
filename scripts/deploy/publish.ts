/** The Worker itself, with its pages, its classes, its schedule and its rate limits. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { folderOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import type { Settings } from './settings.ts'
import { note, type Step } from './step.ts'

/** A line of what wrangler writes about a deployment (WRANGLER_OUTPUT_FILE_PATH). */
const Line = z.looseObject({
  type: z.string(),
  targets: z.array(z.string()).optional(),
  version_id: z.string().nullish(),
})

/** Deploys the Worker. */
export function publish(deployment: Deployment): Step {
  const { wrangler, settings } = deployment
  return {
    name: 'Worker',
    remedy:
      'The Worker that was deployed before goes on serving. Run the command again once the cause is removed.',
    plan: async () => {
      const where = settings.domain === undefined ? 'workers.dev' : `https://${settings.domain}`
      const deploy = async () => {
        const { path } = deployment.written()
        const report = join(folderOf(settings), 'deployed.ndjson')
        rmSync(report, { force: true })
        await wrangler.run(['deploy', '--config', path], {
          environment: { WRANGLER_OUTPUT_FILE_PATH: report },
        })
        const { targets = [], version_id } = deployedIn(report)
        deployment.url = targets.map(addressOf).find((target) => URL.canParse(target))
        note(
          `version ${version_id ?? 'unknown'} at ${deployment.url ?? 'an address that wrangler did not tell'}`,
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

/** The address in a target: `https://…`, or a host name followed by what kind of route it is. */
function addressOf(target: string): string {
  return /^https?:/.test(target) ? target : `https://${target.split(' ', 1)}`
}
