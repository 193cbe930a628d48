/** @module-tag release */
import { beforeAll, expect, it } from 'vitest'
import { surviveAll } from '../e2e/proofs/inbox/trials.ts'
import { type SharedServer, sharedServer } from '../e2e/shared-servers.ts'
import { platforms } from './host.ts'
import { InboxProcess } from './inbox-process.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const cuts = amount * 4 || 8
const users = Math.min(4, Math.ceil(cuts / 15))

let server: SharedServer

// Not for a run without these tests.
beforeAll(async () => {
  server = await sharedServer('proofs')
}, 300_000)

it.each(platforms)(
  `the C# inbox on the platform %s misses nothing and tells nothing twice in ${cuts} cuts, and shows the list and the badge of the service`,
  async (platform) => {
    const figures = await surviveAll({
      name: platform,
      origin: server.url(),
      cuts,
      users,
      seed,
      isLong: amount > 0,
      open: (options) => InboxProcess.open(platform, options),
    })
    console.log(figures.join('\n'))
    expect(figures).toHaveLength(users)
  },
)
