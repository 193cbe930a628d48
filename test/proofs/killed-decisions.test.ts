import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createAppeal } from '../../src/features/moderation/appeal.ts'
import { decide } from '../../src/features/moderation/decide.ts'
import { answerAppeal, liftDecision } from '../../src/features/moderation/lift.ts'
import type { LaterContext, RequestContext } from '../../src/platform/context.ts'
import { asset } from '../support/acts.ts'
import { expectMeasuresAtRest } from '../support/cases.ts'
import { contextOf } from '../support/context.ts'
import { caseOf, caseRow, decided, decision, measuredRow, reportOf } from '../support/deciding.ts'
import { newUserId } from '../support/ids.ts'
import { everything } from '../support/inbox.ts'
import { expectSound } from '../support/invariants.ts'
import { died, dieEverywhere, type Mortal } from '../support/mortal.ts'
import { runJobIn } from '../support/objects.ts'

const HIDING = { HIDE_AFTER_REPORTS: 2 }

/** An asset of Ada's with a case, which Bob has reported. */
async function reported() {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  const { id } = await asset(ada, 'castle', 'public')
  const target = { type: 'asset' as const, id }
  const { report } = await reportOf(target, bob)
  return { ada, bob, id, target, report: report.id, case_id: await caseOf(target) }
}

type Scene = Awaited<ReturnType<typeof reported>>

interface Act {
  /** What precedes the act. Returns what the act is about. */
  before: (scene: Scene) => Promise<string>
  act: (ctx: RequestContext, scene: Scene, about: string) => Promise<unknown>
  /** The case's number without the act, and how it shows at the asset; with it. */
  number: number
  without: object
  with: object
  /** The types of the notifications of Ada's and of Bob's without the act, and those that the act adds. */
  told: Record<'ada' | 'bob', [before: string[], more: string[]]>
}

const [toOwner, toReporter, toAppellant] = [
  'moderation.decision',
  'moderation.report_decided',
  'moderation.appeal_decided',
]

const acts: Record<string, Act> = {
  'a decision': {
    before: async ({ case_id }) => case_id,
    act: (ctx, _, case_id) => decide(ctx, case_id, decision('block')),
    number: 0,
    without: { blocked: 0 },
    with: { blocked: 1 },
    told: { ada: [[], [toOwner]], bob: [[], [toReporter]] },
  },
  'a decision in place of another, which ends an appeal': {
    before: async ({ ada, case_id }) => {
      const { id } = await decided(case_id, 'block')
      await createAppeal(ada, id, 'It is the sign of my guild.')
      return id
    },
    act: (ctx, { case_id }, replaces) => decide(ctx, case_id, decision('rate', { replaces })),
    number: 1,
    without: { blocked: 1, rating_locked: null },
    with: { blocked: 0, rating_locked: 'teen' },
    told: { ada: [[toOwner], [toOwner, toAppellant]], bob: [[toReporter], []] },
  },
  'a lifting': {
    before: async ({ case_id }) => (await decided(case_id, 'unlist')).id,
    act: (ctx, _, id) => liftDecision(ctx, id),
    number: 1,
    without: { unlisted: 1 },
    with: { unlisted: 0 },
    told: { ada: [[toOwner], []], bob: [[toReporter], []] },
  },
  'the answer to an appeal': {
    before: async ({ ada, case_id }) => {
      const { id } = await decided(case_id, 'unlist')
      await createAppeal(ada, id, 'It is the sign of my guild.')
      return id
    },
    act: (ctx, { case_id }) => answerAppeal(ctx, case_id, { outcome: 'reversed', answer: 'You are right.' }),
    number: 1,
    without: { unlisted: 1 },
    with: { unlisted: 0 },
    told: { ada: [[toOwner], [toAppellant]], bob: [[toReporter], []] },
  },
}

/** Runs an act in a Worker that is killed, with the work after its answer. Returns whether it was killed. */
async function dying(
  kill: <Work extends Mortal>(work: Work) => Work,
  act: (ctx: RequestContext) => Promise<unknown>,
  limits = {},
): Promise<{ isDead: boolean; isAnswered: boolean }> {
  const later: ((ctx: LaterContext) => Promise<void>)[] = []
  const ctx = kill(contextOf(newUserId(), { afterwards: (work) => void later.push(work) }, limits))
  if (await died(act(ctx))) return { isDead: true, isAnswered: false }
  let isDead = false
  // Work after an answer reports no failure: what it could not do is in its notices.
  const watched: LaterContext = { ...ctx }
  for (const work of later) isDead = (await died(work(watched))) || isDead
  return { isDead, isAnswered: true }
}

/** The types of a user's notifications, in order of their names. */
async function told({ user_id }: RequestContext): Promise<string[]> {
  const { notifications } = await env.INBOX.getByName(user_id).list(everything)
  return notifications.map(({ type }: { type: string }) => type).sort()
}

/** How many notices of a case are left. */
const noticesOf = (case_id: string) =>
  env.DB.prepare('SELECT count(*) AS count FROM moderation_notices WHERE case_id = ?')
    .bind(case_id)
    .first<number>('count')

/** The scenes of all acts, and what each must have come to when the job has run after the last of them. */
const ended: { scene: Scene; atRest: () => Promise<void> }[] = []

describe.each(Object.entries(acts))('%s that is cut off at any call', (_, { before, act, ...expected }) => {
  it('is in force once it is answered, and never before its case says so', async () => {
    const scenes: { scene: Scene; isMade: boolean }[] = []
    const deaths = await dieEverywhere(async (kill) => {
      const scene = await reported()
      const about = await before(scene)
      const { isAnswered } = await dying(kill, (ctx) => act(ctx, scene, about))
      const { sequence } = await caseRow(scene.case_id)
      const isMade = sequence > expected.number
      if (isAnswered) expect(isMade).toBe(true)
      const row = await measuredRow(scene.id)
      if (isAnswered) expect(row).toMatchObject(expected.with)
      if (!isMade) expect(row).toMatchObject(expected.without)
      scenes.push({ scene, isMade })
      return !isAnswered || (await noticesOf(scene.case_id)) !== 0
    })
    expect(deaths).toBeGreaterThan(3)
    expect(new Set(scenes.map(({ isMade }) => isMade))).toEqual(new Set([false, true]))
    await expectSound(...scenes.map(({ scene }) => scene.ada.user_id))
    for (const { scene, isMade } of scenes) {
      const atRest = async () => {
        expect(await measuredRow(scene.id)).toMatchObject(isMade ? expected.with : expected.without)
        for (const name of ['ada', 'bob'] as const) {
          const [always, more] = expected.told[name]
          expect(await told(scene[name])).toEqual([...always, ...(isMade ? more : [])].sort())
        }
      }
      ended.push({ scene, atRest })
    }
  })
})

it('a report that is cut off at any call is counted or was not made, and hides when it is the last one that was needed', async () => {
  const scenes: { scene: Scene; isMade: boolean }[] = []
  const deaths = await dieEverywhere(async (kill) => {
    const scene = await reported()
    const { isAnswered } = await dying(kill, (ctx) => reportOf(scene.target, ctx), HIDING)
    const { report_count, sequence } = await caseRow(scene.case_id)
    const isMade = report_count === 2
    if (isAnswered) expect(isMade).toBe(true)
    if (!isMade) expect(sequence).toBe(0)
    scenes.push({ scene, isMade })
    return !isAnswered || sequence === 0 || (await noticesOf(scene.case_id)) !== 0
  })
  expect(deaths).toBeGreaterThan(3)
  expect(new Set(scenes.map(({ isMade }) => isMade))).toEqual(new Set([false, true]))
  await expectSound(...scenes.map(({ scene }) => scene.ada.user_id))
  for (const { scene, isMade } of scenes) {
    const atRest = async () => {
      expect(await caseRow(scene.case_id)).toMatchObject({ sequence: Number(isMade), state: 'open' })
      expect(await measuredRow(scene.id)).toMatchObject({ unlisted: Number(isMade) })
      expect(await told(scene.ada)).toEqual(isMade ? [toOwner] : [])
    }
    ended.push({ scene, atRest })
  }
})

it('a decision that is cut off is finished by its repetition with the same key, in force with that answer', async () => {
  await dieEverywhere(async (kill) => {
    const scene = await reported()
    const key = { caller_id: newUserId(), key: crypto.randomUUID(), request_hash: 'same', now: 0 }
    const once = (ctx: RequestContext) => decide(ctx, scene.case_id, decision('block'), key)
    const { isAnswered } = await dying(kill, once)
    const { id } = await once(contextOf(key.caller_id))
    expect(await caseRow(scene.case_id)).toMatchObject({ sequence: 1, decision_id: id })
    expect(await measuredRow(scene.id)).toMatchObject({ blocked: 1 })
    ended.push({ scene, atRest: async () => expect(await told(scene.ada)).toEqual([toOwner]) })
    return !isAnswered
  })
})

it('has its measure after the job, or was not made, and each notice comes once, whatever was cut off', async () => {
  // A minute later the notices that the first run has written are due.
  for (const days of [0.01, 0.02]) await runJobIn(days, HIDING)
  await expectMeasuresAtRest()
  for (const { atRest } of ended) await atRest()
  await expectSound(...ended.map(({ scene }) => scene.ada.user_id))
})
