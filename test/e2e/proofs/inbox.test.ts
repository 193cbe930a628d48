import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { Server } from '../server.ts'
import { Subject } from './inbox/subject.ts'
import { type Open, survive } from './inbox/trial.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const cuts = amount || 30
/** So many inboxes share the cuts: one user may make only so many requests a minute. */
const users = Math.min(8, Math.ceil(cuts / 15))

let server: Server
let social: Client

beforeAll(async () => {
  server = await Server.start({ MAX_NOTIFICATIONS: amount ? '150' : '40' })
  const token = await developmentToken('social', { scope: 'notifications:publish' })
  social = createClient({ baseUrl: server.url(), token })
})
afterAll(() => server.stop())

const openHere: Open = async ({ baseUrl, tokens, random }) => {
  const subject = new Subject({ baseUrl, random, token: (request) => tokens.get(request) })
  await subject.ready()
  return subject
}

it(`misses nothing and tells nothing twice in ${cuts} cuts, and shows the list and the badge of the service`, async () => {
  const trials = Array.from({ length: users }, (_, index) =>
    survive({
      user: `ada-${seed}-${index}`,
      origin: server.url(),
      social,
      cuts: Math.ceil(cuts / users),
      pace_ms: users * 12, // a service may publish 100 a second
      seed: seed + index * 7_919,
      overflow: amount && index === 0 ? 50 : 0,
      open: openHere,
    }),
  )
  const figures = await Promise.all(trials)
  console.log(figures.join('\n'))
  expect(figures).toHaveLength(users)
})
