/** @module-tag release */
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { type SharedServer, sharedServer } from '../e2e/shared-servers.ts'
import { seeded } from '../support/seeded.ts'
import { platforms, play } from './host.ts'
import { openLogin } from './login.ts'
import { networkScenarios } from './network-scenarios.ts'
import { stateOf } from './state.ts'
import { FAULTS, type Fault, Weather } from './weather.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
/** How many rounds each scenario has on each platform. */
const amount = Number(process.env.PROVE_AMOUNT ?? 0) || 3
/** So many rounds for each user: the service keeps 100 revisions of a slot. */
const ROUNDS_OF_A_USER = 10
const TOKENS = 'tokens that expire'
/** A network fails so often. After two failures in a row it works, so that no request runs out of attempts. */
const FAILING = 0.4

let server: SharedServer

// Not for a run without these tests.
beforeAll(async () => {
  server = await sharedServer('proofs')
}, 300_000)

/** Failures drawn from a seed. */
function failures(seed: number): () => Fault | undefined {
  const random = seeded(seed)
  let inARow = 0
  return () => {
    const fault = random() < FAILING && inARow < 2 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined
    inARow = fault === undefined ? 0 : inARow + 1
    return fault
  }
}

/** What came of a scenario: of the service, of each act, and what was sent for it. */
async function outcomeOf(weather: Weather, user: string, outcomes: string[]) {
  const state = await stateOf(createClient({ baseUrl: server.url(), token: await developmentToken(user) }))
  const sent = weather.sent.map(({ request, hasKey, fault }) => [
    request,
    hasKey ? 'with a key' : 'without a key',
    fault ?? 'answered',
  ])
  return { outcomes, sent, state }
}

/** A login of this user, which issues tokens at /valid, and at /expired those that expired an hour ago. */
const login = (user: string) =>
  openLogin((path) => developmentToken(user, { expires_in: path === '/expired' ? -3600 : 3600 }))

/** Runs a scenario as a user of its own. */
async function run(scenario: string, platform: string, next: () => Fault | undefined, rounds: number) {
  const user = `traveller-${crypto.randomUUID()}`
  const weather = await Weather.over(server.url(), next)
  const [token, issuer] = await Promise.all([developmentToken(user), login(user)])
  try {
    const outcomes: string[] = []
    if (platform === 'TypeScript')
      await networkScenarios[scenario]?.({
        url: weather.origin,
        token,
        expired: issuer.url,
        rounds,
        note: (outcome) => outcomes.push(outcome),
      })
    else {
      const printed = await play(platform, scenario, weather.origin, token, `${rounds} ${issuer.url}`)
      outcomes.push(...[...printed.matchAll(/^outcome (.*)$/gm)].map(([, outcome = '']) => outcome))
    }
    return { ...(await outcomeOf(weather, user, outcomes)), weather }
  } finally {
    issuer.close()
    await weather.close()
  }
}

const failing = Object.keys(networkScenarios).filter((scenario) => scenario !== TOKENS)

describe.each(failing)('"%s"', (scenario) => {
  it.each(platforms)(
    'sends what the TypeScript client sends, and leaves what it leaves, on the platform %s',
    async (platform) => {
      const met = new Map<string, number>()
      for (let done = 0; done < amount; done += ROUNDS_OF_A_USER) {
        const rounds = Math.min(ROUNDS_OF_A_USER, amount - done)
        const theirs = await run(scenario, 'TypeScript', failures(seed + done), rounds)
        const ours = await run(scenario, platform, failures(seed + done), rounds)
        expect(ours.sent).toEqual(theirs.sent)
        expect(ours.outcomes).toEqual(theirs.outcomes)
        expect(ours.state).toEqual(theirs.state)
        for (const [, , fault = ''] of ours.sent) met.set(fault, (met.get(fault) ?? 0) + 1)
        for (const outcome of ours.outcomes) met.set(outcome, (met.get(outcome) ?? 0) + 1)
      }
      expect(FAULTS.some((fault) => met.has(fault))).toBe(true)
      console.log(
        `${scenario}, ${platform}: ${[...met].map(([what, times]) => `${times} × ${what}`).join(', ')}`,
      )
    },
  )
})

it.each(platforms)('renews tokens that expire meanwhile, on the platform %s', async (platform) => {
  const rounds = amount > 3 ? 8 : 2
  const [theirs, ours] = await Promise.all([
    run(TOKENS, 'TypeScript', () => undefined, rounds),
    run(TOKENS, platform, () => undefined, rounds),
  ])
  expect(theirs.outcomes).toEqual(Array.from({ length: rounds }, () => ['renewed', 'ok', 'ok']).flat())
  expect(ours.outcomes).toEqual(theirs.outcomes)
  expect(ours.state).toEqual(theirs.state)
})

it.each(['TypeScript', 'dotnet', 'browser'])(
  'waits as long as the service says before it asks again, on the platform %s',
  async (platform) => {
    const plan: (Fault | undefined)[] = ['too many for a second', 'busy for a second']
    const { weather, outcomes } = await run('pages while the network fails', platform, () => plan.shift(), 1)
    expect(new Set(outcomes)).toEqual(new Set(['ok']))
    const [first, second, third] = weather.sent.map(({ at_ms }) => at_ms)
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(995)
    expect(Number(third) - Number(second)).toBeGreaterThanOrEqual(995)
  },
)
