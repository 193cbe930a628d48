import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { expectCatalogue } from '../support/catalogue.ts'
import { everywhere } from '../support/databases.ts'
import { allEndpoints } from '../support/description.ts'
import { publishTo } from '../support/device.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectNothingSuperfluous } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { seeded } from '../support/seeded.ts'
import type { Call } from './faults/bindings.ts'
import { type Faults, read, written } from './faults/fault.ts'
import { ofAnnouncements } from './faults/of-announcements.ts'
import { ofAssets } from './faults/of-assets.ts'
import { ofChecks } from './faults/of-checks.ts'
import { ofFiles } from './faults/of-files.ts'
import { announce, comeLate, endAnnouncement, rehearseLook, undergoLook } from './faults/of-looks.ts'
import { ofModeration } from './faults/of-moderation.ts'
import { ofOperators } from './faults/of-operators.ts'
import { ofPeople } from './faults/of-people.ts'
import { ofRecalls } from './faults/of-recalls.ts'
import { ofReleases } from './faults/of-releases.ts'
import { ofSaves } from './faults/of-saves.ts'
import { rehearseJob, undergoJob } from './faults/of-the-job.ts'
import { rehearsePublication, undergoPublication } from './faults/of-the-publisher.ts'
import { ofTrashAndShares } from './faults/of-trash-and-shares.ts'
import { ofUploads } from './faults/of-uploads.ts'
import {
  expectAllSound,
  expectOneEffect,
  expectPartsGivenUp,
  expectShownRightly,
  figures,
  rehearse,
  type Scenario,
  type Stage,
  stageOf,
  type Trouble,
  undergo,
} from './faults/trial.ts'
import {
  delays,
  inWords,
  type Met,
  manyTroubles,
  troubleOf,
  troubles,
  troublesAgain,
} from './faults/troubles.ts'

const { seed, amount, replay, brief } = inject('proof')
const scenarios: Record<string, Scenario[]> = {
  ...ofFiles,
  ...ofTrashAndShares,
  ...ofUploads,
  ...ofChecks,
  ...ofAssets,
  ...ofReleases,
  ...ofPeople,
  ...ofAnnouncements,
  ...ofSaves,
  ...ofRecalls,
  ...ofOperators,
  ...ofModeration,
}
const described = await allEndpoints()
const sites = new Map<string, number>()
/** Which faults each kind of call has met, over all operations. */
const reached = new Set<string>()
const began = Date.now()

beforeEach(() => {
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

afterAll(() => {
  const calls = [...sites.values()].reduce((sum, count) => sum + count, 0)
  console.log(
    `faults: ${described.length} operations, ${calls} call sites (${[...sites].map(([site, count]) => `${site} ${count}`).join(', ')}), ` +
      `${JSON.stringify(figures)}, seed ${seed}, amount ${amount}, ${Math.round((Date.now() - began) / 1_000)} s`,
  )
})

it('has a scenario for every operation that the two descriptions have', () => {
  expect(Object.keys(scenarios).sort()).toEqual(
    described.map(({ operation }) => operation.operationId).sort(),
  )
})

/** A trial that has come to its end. */
interface Ended {
  line: string
  stage: Stage
  isAnswered: boolean
}

/** What troubles are asked with, so that a short run has few of them. */
const inShort = (): { met?: Met } => (amount === 0 ? { met: new Set() } : {})

/** Everything that is to go wrong in a scenario, in this run. `met`: what has, in the other scenarios of its operation. */
function* planned(operation: string, { name }: Scenario, calls: Call[], isRead: boolean, met: Met) {
  const [where, what] = replay.split(' > ')
  if (what !== undefined) {
    if (where === `${operation}, ${name}`) yield troubleOf(what)
    return
  }
  const few = { turn: operation.length + name.length, ...(amount === 0 && { met }) }
  yield* troubles(calls, { isRead, ...few })
  if (!isRead) yield* troublesAgain(calls, few)
  const random = seeded(seed)
  for (let round = 0; round < amount; round++) yield* manyTroubles(calls, random)
}

/**
 * Scenes have nothing to do with each other, and most trials only wait: so several go on at a time. When one has failed, no
 * other begins, and those under way come to their end, so that they don't disturb what comes next.
 */
async function sideBySide<Item>(
  items: Iterator<Item>,
  lanes: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lane = async () => {
    try {
      for (let next = items.next(); !next.done; next = items.next()) await work(next.value)
    } finally {
      items.return?.()
    }
  }
  for (const ended of await Promise.allSettled(Array.from({ length: lanes }, lane)))
    if (ended.status === 'rejected') throw ended.reason
}

/** Has the walk through the bucket come to this object and those after it, and delete what nothing has. */
async function walkFrom(key: string): Promise<void> {
  await everywhere(`UPDATE progress SET position = ? WHERE task = 'bucket_walk'`, key.slice(0, -1))
  await runJobIn(4)
  await runJobIn(12)
}

let told = began
/** Says how far a long run is. */
function progress(line: string): void {
  if (amount === 0 || Date.now() - told < 10_000) return
  told = Date.now()
  console.log(`${Math.round((told - began) / 1_000)} s: ${JSON.stringify(figures)}, ${line}`)
}

/** Says in which trial something failed, and how to see it again. */
async function named(line: string, work: () => Promise<void>): Promise<void> {
  progress(line)
  try {
    await work()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const again = `npm run prove -- faults --seed ${seed} --amount ${amount} --replay '${line}'`
    throw new Error(`${line}: ${text}\nAgain: ${again}`, { cause: error })
  }
}

/** Looks at the rows of all trials at once, and, when something is wrong there, at those of each, to say in which it is. */
async function expectEachSound(ended: Ended[]): Promise<void> {
  try {
    await expectAllSound(ended.map(({ stage }) => stage))
  } catch (error) {
    for (const { line, stage } of ended) await named(line, () => expectAllSound([stage]))
    throw error
  }
}

/** How many runs of the job that meet a fault the healthy ones come after. In a long run they come after each. */
const BEFORE_HEALTHY_RUNS = amount === 0 ? 40 : 1

describe('the scheduled job', () => {
  it('goes on with its other tasks when a call fails, hangs or is late; the next run leaves nothing half done', async () => {
    await runJobIn(9)
    const calls = await rehearseJob()
    await runJobIn(4)
    for (const { site } of calls) sites.set(site, (sites.get(site) ?? 0) + 1)
    const [where, what] = replay.split(' > ')
    if (what !== undefined) {
      const again = what.split(' | ').map(read)
      if (where === 'job') await named(replay, () => undergoJob(again))
      return
    }
    const plan = function* (): Generator<Faults> {
      yield* delays(calls, { isShort: amount === 0 })
      if (amount > 0) for (const { faults } of troubles(calls)) yield* faults
      const random = seeded(seed)
      for (let round = 0; round < amount; round++)
        for (const { faults } of manyTroubles(calls, random)) yield* faults.slice(0, 1)
    }
    const planned = [...plan()]
    for (let at = 0; at < planned.length; at += BEFORE_HEALTHY_RUNS) {
      const some = planned.slice(at, at + BEFORE_HEALTHY_RUNS)
      await named(`job > ${some.map(written).join(' | ')}`, () => undergoJob(some))
    }
  })
})

describe('NotificationPublisher', () => {
  it('publishes or says UNAVAILABLE, whichever call fails, hangs or is late; asking again notifies once', async () => {
    const calls = await rehearsePublication()
    for (const trouble of troubles(calls, inShort()))
      if (replay === '') await named(`publisher > ${inWords(trouble)}`, () => undergoPublication(trouble))
  })
})

describe('a look at an inbox', () => {
  it('takes an announcement in once, and lets it go once, whichever call fails, hangs or is late', async () => {
    const operator = newUserId()
    const first = await announce(operator)
    const calls = await rehearseLook()
    await endAnnouncement(operator, first)
    for (const trouble of troubles(calls, inShort())) {
      if (replay !== '') continue
      await named(`look > ${inWords(trouble)}`, async () => {
        const user_id = newUserId()
        await publishTo({ id: user_id })
        const id = await announce(operator)
        const late = await undergoLook(trouble, user_id, { seq: 2, total: 2 })
        await endAnnouncement(operator, id)
        const others = await undergoLook(trouble, user_id, { seq: 3, total: 1 })
        await comeLate([...late, ...others], user_id)
      })
    }
  })
})

/** In a brief run, those that cross databases and some of the others. */
const CROSSING = /share|branch|erase|block|browse|Quota|completeUpload/i
const asked = described.filter(({ operation }) => !brief || CROSSING.test(operation.operationId))

/** How many operations the job comes after. In a long run it comes after each. */
const BEFORE_THE_JOB = amount === 0 ? 40 : 1

for (let at = 0; at < asked.length; at += BEFORE_THE_JOB) {
  const group = asked.slice(at, at + BEFORE_THE_JOB)
  const changing = group
    .filter(({ method }) => method !== 'GET')
    .map(({ operation }) => operation.operationId)
  const all: Ended[] = []
  /** What nobody has looked at since it ended. */
  let unseen: Ended[] = []
  /** Looks before the job runs, which would put in order what is wrong. */
  const look = async () => {
    const seen = unseen
    unseen = []
    await expectEachSound(seen)
    await expectShownRightly(seen.filter(({ isAnswered }) => isAnswered).map(({ stage }) => stage))
  }

  describe.each(group.map(({ operation, method }) => [operation.operationId, method] as const))(
    '%s',
    (operation, method) => {
      const isRead = method === 'GET'

      it('is answered correctly or UNAVAILABLE, whichever call fails, hangs or is late; asking again comes to one effect', async () => {
        const met: Met = new Set()
        for (const scenario of scenarios[operation] ?? []) {
          if (scenario.leftToJob) await look()
          const clean = await rehearse(scenario)
          for (const { site } of clean.calls) sites.set(site, (sites.get(site) ?? 0) + 1)
          const shared = isRead ? await stageOf(scenario) : undefined
          const here: Ended[] = []
          const work = async (trouble: Trouble) => {
            const line = `${operation}, ${scenario.name} > ${inWords(trouble)}`
            await named(line, async () => {
              const stage = shared ?? (await stageOf(scenario))
              for (const [at, { effect, reply }] of trouble.faults.flatMap((faults) => [...faults]))
                reached.add(`${clean.calls[at - 1]?.site}: ${effect}, ${reply}`)
              here.push({ line, stage, isAnswered: await undergo(scenario, clean, stage, trouble) })
            })
          }
          await scenario.tidy?.(clean.scene)
          const plan = planned(operation, scenario, clean.calls, isRead, met)
          await sideBySide(plan, scenario.alone ? 1 : 8, work)
          if (scenario.leftToJob) await runJobIn(0)
          const last = shared ? here.slice(-1) : here
          for (const { line, stage, isAnswered } of last)
            await named(line, async () => {
              await expectOneEffect(scenario, clean, stage, isAnswered)
              await scenario.tidy?.(stage.scene)
            })
          unseen.push(...last)
          if (!isRead) all.push(...here)
        }
      })
    },
  )

  it(
    `rows are sound and pages show nothing that was removed after ${group.map(({ operation }) => operation.operationId).join(', ')}`,
    look,
  )

  it.runIf(changing.length > 0)(
    `nothing is half done when the job has run after ${changing.join(', ')}`,
    async () => {
      // It has looked at the markers two days from now before, after other operations.
      await everywhere(`DELETE FROM progress WHERE task = 'marker_walk'`)
      await runJobIn(2)
      await expectInPlace()
      await expectCatalogue()
      await expectEachSound(all)
      for (const { line, stage } of all) await named(line, () => expectPartsGivenUp(stage.scene.inParts))
      const left = all.flatMap(({ stage }) => stage.scene.left).sort()
      await expectRecordsAndObjectsAgree(left)
      if (left[0] !== undefined) await walkFrom(left[0])
      await expectRecordsAndObjectsAgree()
    },
  )
}

it.runIf(replay === '' && !brief)(
  'has met each fault at each kind of call that most operations write by',
  () => {
    const faults = ['never', 'at once'].flatMap((effect) => [`${effect}, an error`, `${effect}, nothing`])
    faults.push('before the retry, nothing', 'after the retry, nothing')
    const all = ['D1 batch', 'R2 put'].flatMap((site) => faults.map((fault) => `${site}: ${fault}`))
    expect(all.filter((one) => !reached.has(one))).toEqual([])
  },
)

it('leaves no marker and no hint that nothing stands behind, once the job has looked', async () => {
  // It relies on what it has found behind a hint for as long as that has existed, 30 days at most.
  for (const days of [100, 135, 170]) await runJobIn(days)
  await expectNothingSuperfluous()
})
