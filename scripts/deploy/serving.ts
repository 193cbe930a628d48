/** Finds the version of a Worker that serves. */
import { z } from 'zod'
import { type Wrangler, WranglerFailed } from './wrangler.ts'

const Deployed = z.object({
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })).min(1),
})

/** wrangler's messages for a Worker that does not exist, or has never been deployed. */
const NONE = /code: 10007\b|has no deployments|does not exist|not found/i

/** The id of the version with the largest share of the requests; undefined when no version serves. */
export async function servingVersion(wrangler: Wrangler, worker: string): Promise<string | undefined> {
  try {
    const answer = await wrangler.json(['deployments', 'status', '--name', worker, '--json'])
    const [most] = Deployed.parse(answer).versions.sort((one, other) => other.percentage - one.percentage)
    return most?.version_id
  } catch (error) {
    if (error instanceof WranglerFailed && NONE.test(error.message)) return undefined
    throw error
  }
}
