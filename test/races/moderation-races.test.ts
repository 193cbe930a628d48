import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { createAppeal } from '../../src/features/moderation/appeal.ts'
import { findCase, measureOf } from '../../src/features/moderation/case.ts'
import { decide } from '../../src/features/moderation/decide.ts'
import { answerAppeal, liftDecision } from '../../src/features/moderation/lift.ts'
import { applyMeasure } from '../../src/features/moderation/measure.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset, unblockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { databasesOf } from '../../src/platform/shards/map.ts'
import { asset, file, there } from '../support/acts.ts'
import { expectMeasuresAtRest } from '../support/cases.ts'
import { contextOf } from '../support/context.ts'
import { everyDatabase, everywhere, holdersOf } from '../support/databases.ts'
import {
  caseOf,
  caseRow,
  decided,
  decision,
  decisionsAbout,
  measuredRow,
  reportOf,
} from '../support/deciding.ts'
import { configWithEvents, eventsAbout } from '../support/events.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { moveAll } from '../support/moving.ts'
import { runJobIn } from '../support/objects.ts'
import { rounds, tally } from '../support/race.ts'

/** Ada, a public asset of hers, and its case. */
async function scene() {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  const target = { type: 'asset' as const, id }
  return { ada, id, target, case_id: await caseOf(target), again: () => contextOf(ada.user_id) }
}

const moderator = () => contextOf(newUserId())

/** The row of an appeal. */
const appealRow = (decision_id: string) =>
  env.DB.prepare('SELECT state, answer, decided_by FROM appeals WHERE decision_id = ?')
    .bind(decision_id)
    .first()

/** SQL: the decision that has ended a row of `reports`. */
const ENDED_BY =
  '(SELECT id FROM decisions WHERE decisions.case_id = reports.case_id AND decisions.round = reports.round)'

/** How often a notice of a type waits for a case. */
async function noticesOf(case_id: string, type: string): Promise<number> {
  const count = 'SELECT count(*) AS count FROM moderation_notices WHERE case_id = ? AND type = ?'
  return (await env.DB.prepare(count).bind(case_id, type).first<number>('count')) ?? 0
}

describe('two decisions about a case', () => {
  it('at once: one is made, and the other is CASE_DECIDED and has done nothing', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { ada, id, target, case_id } = await scene()
      const { report } = await reportOf(target)
      const replaces = round.variant === 0 ? null : (await decided(case_id, 'rate')).id
      const made = await round.race([
        () => decided(case_id, 'unlist', { replaces }),
        () => decided(case_id, 'block', { replaces }),
      ])
      expect(tally(made)).toBe('1 CASE_DECIDED, 1 ok')
      const isUnlisted = round.fork('the first one is made', made[0]?.code === undefined)
      const winner = there(made[isUnlisted ? 0 : 1]?.answer)
      expect(await decisionsAbout(case_id)).toEqual([...(replaces ? [replaces] : []), winner.id])
      expect(await measuredRow(id)).toEqual({
        blocked: Number(!isUnlisted),
        unlisted: Number(isUnlisted),
        rating: null,
        rating_locked: null,
      })
      const ended = await env.DB.prepare(`SELECT ${ENDED_BY} AS decision_id FROM reports WHERE id = ?`)
        .bind(report.id)
        .first()
      expect(ended).toEqual({ decision_id: replaces ?? winner.id })
      await expectSound(ada.user_id)
    })
  })

  it('with one Idempotency-Key: both answer with one decision', async () => {
    await rounds(async (round) => {
      const { ada, case_id } = await scene()
      const [caller_id, key] = [newUserId(), crypto.randomUUID()]
      const once = () =>
        decide(contextOf(caller_id), case_id, decision('unlist'), {
          caller_id,
          key,
          now: 0,
          request_hash: 'same',
        })
      const made = await round.race([once, once])
      expect(tally(made)).toBe('2 ok')
      expect(await decisionsAbout(case_id)).toEqual([there(made[0]?.answer).id])
      expect(made[1]?.answer?.id).toBe(made[0]?.answer?.id)
      await expectSound(ada.user_id)
    })
  })
})

const decisionsOnAssets = ['rate', 'unlist', 'block'] as const

describe('a decision about an asset', () => {
  it.each([
    [
      'made private',
      (ada: ReturnType<typeof contextOf>, id: string) => editAsset(ada, id, { visibility: 'private' }),
    ],
    ['deleted', (ada: ReturnType<typeof contextOf>, id: string) => deleteAsset(ada, id)],
    [
      'deleted for good',
      (ada: ReturnType<typeof contextOf>, id: string) => deleteAsset(ada, id, { permanent: true }),
    ],
    ['whose owner is erased', (ada: ReturnType<typeof contextOf>) => eraseUser(ada, ada.user_id)],
  ])('that is %s is made, and the asset has its measure while it is there', async (_, end) => {
    await rounds({ variants: 3 }, async (round) => {
      const action = there(decisionsOnAssets[round.variant])
      const { ada, id, case_id, again } = await scene()
      const [made, ended] = await round.race<unknown>([
        () => decided(case_id, action),
        () => end(again(), id),
      ])
      expect([made?.code, ended?.code]).toEqual([undefined, undefined])
      const { sequence, applied, decision_id } = await caseRow(case_id)
      expect({ sequence, applied }).toEqual({ sequence: 1, applied: 1 })
      expect([decision_id]).toEqual(await decisionsAbout(case_id))
      await expectSound(ada.user_id)
    })
    await runJobIn(1)
    await expectMeasuresAtRest()
  })

  it.skipIf(everyDatabase.length === 1)('whose partition moves reaches it before or after', async () => {
    await rounds(async (round) => {
      const { ada, id, case_id } = await scene()
      const partition = partitionOf(ada.user_id)
      const from = (await holdersOf([partition])).get(partition)
      const to = there(
        Object.entries(databasesOf(env)).find(([name, one]) => name !== 'CATALOG' && one !== from),
      )
      const [made, moved] = await round.race<unknown>([
        // A moderator repeats what the move refused, as the console does.
        async () => {
          for (;;)
            try {
              return await decided(case_id, 'unlist')
            } catch (error) {
              if (!(error instanceof ApiError && error.code === 'UNAVAILABLE')) return orMade(error)
            }
        },
        () => moveAll({ first: partition, last: partition }, to[0]),
      ])
      expect([made?.code, moved?.code]).toEqual([undefined, undefined])
      await runJobIn(0)
      const holder = (await holdersOf([partition])).get(partition)
      expect(holder).toBe(to[1])
      expect(
        await to[1].prepare('SELECT unlisted FROM game_assets WHERE id = ?').bind(id).first('unlisted'),
      ).toBe(1)
      await expectSound(ada.user_id)
    })
  })
})

/** A repetition of a decision that was made before its answer was lost. */
function orMade(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'CASE_DECIDED')) throw error
}

describe('a block of a file by a decision', () => {
  it('that is purged from the trash is made, and leaves no measure of what is gone', async () => {
    await rounds(async (round) => {
      const ada = contextOf(newUserId())
      const { id } = await file(ada)
      const case_id = await caseOf({ type: 'file', id })
      await deleteFile(ada, id)
      const [made, purged] = await round.race<unknown>([
        () => decided(case_id, 'block'),
        () => purgeFile(contextOf(ada.user_id), id),
      ])
      expect([made?.code, purged?.code]).toEqual([undefined, undefined])
      await expectSound(ada.user_id)
    })
    await runJobIn(1)
    await expectMeasuresAtRest()
  })
})

describe('the lifting of a decision', () => {
  it('against an appeal: the appeal is reversed with it, or comes too late', async () => {
    await rounds(async (round) => {
      const { ada, case_id, again } = await scene()
      const { id } = await decided(case_id, 'block')
      const [appealed, lifted] = await round.race<unknown>([
        () => createAppeal(again(), id, 'It is the sign of my guild.'),
        () => liftDecision(moderator(), id),
      ])
      expect(lifted?.code).toBeUndefined()
      if (round.isBefore(appealed, lifted)) expect(appealed?.code).toBeUndefined()
      if (round.isBefore(lifted, appealed)) expect(appealed?.code).toBe('APPEAL_CLOSED')
      const row = await appealRow(id)
      if (appealed?.code === undefined) expect(row).toMatchObject({ state: 'reversed', answer: null })
      else expect([appealed.code, row]).toEqual(['APPEAL_CLOSED', null])
      expect(await noticesOf(case_id, 'moderation.appeal_decided')).toBe(Number(row !== null))
      expect(await caseRow(case_id)).toMatchObject({ state: 'decided', decision_id: null })
      await expectSound(ada.user_id)
    })
  })

  it('against a decision in its place: that comes first and stays, or is CASE_DECIDED', async () => {
    await rounds(async (round) => {
      const { ada, id, case_id } = await scene()
      const first = await decided(case_id, 'block')
      const [lifted, made] = await round.race<unknown>([
        () => liftDecision(moderator(), first.id),
        () => decided(case_id, 'unlist', { replaces: first.id }),
      ])
      expect(lifted?.code).toBeUndefined()
      if (round.isBefore(made, lifted)) expect(made?.code).toBeUndefined()
      if (round.isBefore(lifted, made)) expect(made?.code).toBe('CASE_DECIDED')
      const isMade = made?.code === undefined
      expect(await measuredRow(id)).toMatchObject({ blocked: 0, unlisted: Number(isMade) })
      expect(await decisionsAbout(case_id)).toHaveLength(isMade ? 2 : 1)
      await expectSound(ada.user_id)
    })
  })

  it('twice at once, as DELETE …/block and as a lifting: it is lifted once', async () => {
    await rounds(async (round) => {
      const { ada, id, case_id } = await scene()
      const first = await decided(case_id, 'block')
      const lifted = await round.race<unknown>([
        () => liftDecision(moderator(), first.id),
        () => unblockAsset(moderator(), id),
      ])
      expect(tally(lifted)).toBe('2 ok')
      expect(await caseRow(case_id)).toMatchObject({ sequence: 2, applied: 2, decision_id: null })
      expect(await measuredRow(id)).toMatchObject({ blocked: 0 })
      await expectSound(ada.user_id)
    })
  })

  it('against a block without a statement: the asset is free, or blocked by the later block', async () => {
    await rounds(async (round) => {
      const { ada, id, case_id } = await scene()
      const first = await decided(case_id, 'block')
      const [lifted, blocked] = await round.race<unknown>([
        () => liftDecision(moderator(), first.id),
        () => blockAsset(moderator(), id),
      ])
      expect([lifted?.code, blocked?.code]).toEqual([undefined, undefined])
      const { blocked: isBlocked } = there((await measuredRow(id)) ?? undefined)
      if (round.isBefore(lifted, blocked)) expect(isBlocked).toBe(1)
      if (round.isBefore(blocked, lifted)) expect(isBlocked).toBe(0)
      await expectSound(ada.user_id)
    })
  })
})

describe('an appeal', () => {
  it('that two moderators answer at once has one answer, and its notice', async () => {
    await rounds(async (round) => {
      const { ada, id, case_id, again } = await scene()
      const made = await decided(case_id, 'unlist')
      await createAppeal(again(), made.id, 'It is the sign of my guild.')
      const answered = await round.race([
        () => answerAppeal(moderator(), case_id, { outcome: 'upheld', answer: 'It stays.' }),
        () => answerAppeal(moderator(), case_id, { outcome: 'reversed', answer: 'You are right.' }),
      ])
      expect(tally(answered)).toBe('1 APPEAL_CLOSED, 1 ok')
      const isUpheld = round.fork('it is upheld', answered[0]?.code === undefined)
      expect(await appealRow(made.id)).toMatchObject(
        isUpheld ? { state: 'upheld', answer: 'It stays.' } : { state: 'reversed', answer: 'You are right.' },
      )
      expect(await measuredRow(id)).toMatchObject({ unlisted: Number(isUpheld) })
      expect(await noticesOf(case_id, 'moderation.appeal_decided')).toBe(1)
      await expectSound(ada.user_id)
    })
  })

  it('against a decision in place of its own: it is ended by that, or comes too late', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { ada, case_id, again } = await scene()
      const first = await decided(case_id, 'unlist')
      const action = round.variant === 0 ? 'unlist' : 'warn'
      const [appealed, made] = await round.race<unknown>([
        () => createAppeal(again(), first.id, 'It is the sign of my guild.'),
        () => decided(case_id, action, { replaces: first.id }),
      ])
      expect(made?.code).toBeUndefined()
      if (round.isBefore(appealed, made)) expect(appealed?.code).toBeUndefined()
      if (round.isBefore(made, appealed)) expect(appealed?.code).toBe('APPEAL_CLOSED')
      const row = await appealRow(first.id)
      if (appealed?.code === undefined)
        expect(row).toMatchObject({ state: action === 'unlist' ? 'upheld' : 'reversed' })
      else expect(row).toBeNull()
      await expectSound(ada.user_id)
    })
  })
})

/** A moderator's own decision, which Ada appeals against. */
async function appealable() {
  const found = await scene()
  const mod = newUserId()
  const { id } = await decide(contextOf(mod), found.case_id, decision('unlist'))
  const appeal = () => createAppeal(found.again(), id, 'It is the sign of my guild.')
  return { ...found, mod, decision_id: id, appeal }
}

describe('an appeal against a decision', () => {
  it('whose moderator decides anew at once: the same moderator does not end it', async () => {
    await rounds(async (round) => {
      const { ada, id, mod, case_id, decision_id, appeal } = await appealable()
      const [appealed, made] = await round.race<unknown>([
        appeal,
        () => decide(contextOf(mod), case_id, decision('block', { replaces: decision_id })),
      ])
      if (round.isBefore(appealed, made)) expect(made?.code).toBe('FORBIDDEN')
      if (round.isBefore(made, appealed)) expect(appealed?.code).toBe('APPEAL_CLOSED')
      expect(tally([there(appealed), there(made)])).toMatch(/^1 (APPEAL_CLOSED|FORBIDDEN), 1 ok$/)
      expect(await measuredRow(id)).toMatchObject({ blocked: Number(made?.code === undefined) })
      await expectSound(ada.user_id)
    })
  })
})

/** A moderator whose look at a case comes before somebody else does something: the read of this number. */
function lookingBefore(act: () => Promise<unknown>, mod: string = newUserId(), number = 1): RequestContext {
  const ctx = contextOf(mod)
  const { common } = ctx.databases
  let reads = 0
  const read = async (...args: Parameters<typeof common.read>) => {
    const rows = await common.read(...args)
    if (++reads === number) await act()
    return rows
  }
  return { ...ctx, databases: overridden(ctx.databases, { common: overridden(common, { read }) }) }
}

describe('a moderator who has looked at a case before it changes', () => {
  it('does not end an appeal against their own decision', async () => {
    const { ada, id, mod, case_id, decision_id, appeal } = await appealable()
    const late = decide(lookingBefore(appeal, mod), case_id, decision('block', { replaces: decision_id }))
    await expect(late).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await decisionsAbout(case_id)).toEqual([decision_id])
    expect(await measuredRow(id)).toMatchObject({ blocked: 0, unlisted: 1 })
    await expectSound(ada.user_id)
  })

  it('decides nothing in place of a decision that is not there any more', async () => {
    const { ada, id, case_id, decision_id } = await appealable()
    const ctx = lookingBefore(() => decided(case_id, 'rate', { replaces: decision_id }))
    const late = decide(ctx, case_id, decision('block', { replaces: decision_id }))
    await expect(late).rejects.toMatchObject({ code: 'CASE_DECIDED' })
    expect(await measuredRow(id)).toMatchObject({ blocked: 0, unlisted: 0, rating_locked: 'teen' })
    await expectSound(ada.user_id)
  })

  it('lifts no decision that has taken the place of theirs', async () => {
    const { ada, id, case_id, decision_id } = await appealable()
    // The first read finds the decision, the second its case.
    const ctx = lookingBefore(() => decided(case_id, 'block', { replaces: decision_id }), undefined, 2)
    await liftDecision(ctx, decision_id)
    expect(await caseRow(case_id)).toMatchObject({ sequence: 2, decision_id: expect.any(String) })
    expect(await measuredRow(id)).toMatchObject({ blocked: 1 })
    await expectSound(ada.user_id)
  })

  it.each([
    ['upheld', 'reversed'],
    ['reversed', 'upheld'],
  ] as const)('answers no appeal that another has answered: %s before %s', async (first, second) => {
    const { ada, id, case_id, decision_id, appeal } = await appealable()
    await appeal()
    const answers = { outcome: first, answer: 'The first.' }
    const ctx = lookingBefore(() => answerAppeal(moderator(), case_id, answers))
    const late = answerAppeal(ctx, case_id, { outcome: second, answer: 'The second.' })
    await expect(late).rejects.toMatchObject({ code: 'APPEAL_CLOSED' })
    expect(await appealRow(decision_id)).toMatchObject({ state: first, answer: 'The first.' })
    expect(await measuredRow(id)).toMatchObject({ unlisted: Number(first === 'upheld') })
    await expectSound(ada.user_id)
  })
})

it.each(['unlist', 'block'] as const)(
  'a measure that arrives after a later one (%s), or twice, changes nothing',
  async (action) => {
    const { ada, id, case_id } = await scene()
    const first = await decided(case_id, 'block')
    const early = measureOf(await findCase(moderator(), case_id))
    await decided(case_id, action, { replaces: first.id })
    const late = measureOf(await findCase(moderator(), case_id))
    const row = async () => [
      await measuredRow(id),
      await everywhere('SELECT blocked_by, reason FROM blocks WHERE id = ?', id),
    ]
    const before = await row()
    await env.DB.prepare('DELETE FROM moderation_notices WHERE case_id = ?').bind(case_id).run()
    const withEvents = contextOf(newUserId(), {}, configWithEvents())
    for (const measure of [early, late]) {
      await applyMeasure(withEvents, measure)
      expect(await row()).toEqual(before)
      expect(await eventsAbout(ada.user_id)).toEqual([])
      expect(await caseRow(case_id)).toMatchObject({ sequence: 2, applied: 2 })
      expect(await noticesOf(case_id, 'moderation.decision'), 'notices that were sent before').toBe(0)
      await expectSound(ada.user_id)
    }
  },
)

it('a rating that a decision sets after another is taken back to what the owner had said', async () => {
  const { ada, id, case_id } = await scene()
  const before = await measuredRow(id)
  const first = await decided(case_id, 'rate', { rating: 'mature' })
  const second = await decided(case_id, 'rate', { rating: 'teen', replaces: first.id })
  expect(await measuredRow(id)).toMatchObject({ rating: 'teen', rating_locked: 'teen' })
  await liftDecision(moderator(), second.id)
  expect(await measuredRow(id)).toEqual(before)
  await expectSound(ada.user_id)
})

describe('reports', () => {
  const hiding = { HIDE_AFTER_REPORTS: 3 }
  const report = (target: { type: 'asset'; id: string }) =>
    reportOf(target, contextOf(newUserId(), {}, hiding))

  it('that reach HIDE_AFTER_REPORTS together make one automated decision, and stay open', async () => {
    await rounds(async (round) => {
      const { ada, id, target, case_id } = await scene()
      await report(target)
      const sent = await round.race(Array.from({ length: 4 }, () => () => report(target)))
      expect(tally(sent)).toBe('4 ok')
      const [hidden, ...more] = await decisionsAbout(case_id)
      expect(more).toEqual([])
      expect(await caseRow(case_id)).toMatchObject({
        state: 'open',
        decision_id: hidden,
        report_count: 5,
        applied: 1,
      })
      expect(await measuredRow(id)).toMatchObject({ unlisted: 1 })
      expect(await noticesOf(case_id, 'moderation.decision')).toBe(1)
      await expectSound(ada.user_id)
    })
  })

  it('of which the last one meets a decision “none”: it is hidden before, or as many new ones are needed', async () => {
    await rounds(async (round) => {
      const { ada, id, target, case_id } = await scene()
      for (let before = 0; before < 2; before++) await report(target)
      const [sent, made] = await round.race<unknown>([() => report(target), () => decided(case_id, 'none')])
      expect(sent?.code).toBeUndefined()
      if (round.isBefore(sent, made)) expect(made?.code).toBe('CASE_DECIDED')
      if (round.isBefore(made, sent)) expect(made?.code).toBeUndefined()
      const isHidden = made?.code === 'CASE_DECIDED'
      expect(await measuredRow(id)).toMatchObject({ unlisted: Number(isHidden) })
      expect(await decisionsAbout(case_id)).toHaveLength(1)
      await expectSound(ada.user_id)
    })
  })

  it('against a decision: each is ended by it, or open after it', async () => {
    await rounds(async (round) => {
      const { ada, target, case_id } = await scene()
      await reportOf(target, undefined, { category: 'spam' })
      const [one, two, made] = await round.race<{ report?: { id: string }; id?: string }>([
        () => reportOf(target),
        () => reportOf(target, undefined, { is_illegal: true, text: 'an emblem' }),
        () => decided(case_id, 'warn'),
      ])
      expect([one?.code, two?.code, made?.code]).toEqual([undefined, undefined, undefined])
      const { results } = await env.DB.prepare(
        `SELECT id, ${ENDED_BY} AS decision_id FROM reports WHERE case_id = ?`,
      )
        .bind(case_id)
        .all<{ id: string; decision_id: string | null }>()
      const endedBy = (id: string | undefined) => results.find((row) => row.id === id)?.decision_id
      for (const sent of [one, two]) {
        const by = endedBy(sent?.answer?.report?.id)
        if (round.isBefore(sent, made)) expect(by).toBe(made?.answer?.id)
        if (round.isBefore(made, sent)) expect(by).toBeNull()
      }
      const open = results.filter(({ decision_id }) => decision_id === null).length
      expect(results).toHaveLength(3)
      expect(await caseRow(case_id)).toMatchObject({
        report_count: open,
        state: open > 0 ? 'open' : 'decided',
      })
      // One for all.
      expect(await noticesOf(case_id, 'moderation.report_decided')).toBe(1)
      await expectSound(ada.user_id)
    })
  })

  it('of one user about one thing at once are one report, in one case', async () => {
    await rounds(async (round) => {
      const ada = contextOf(newUserId())
      const { id } = await asset(ada, 'castle', 'public')
      const target = { type: 'asset' as const, id }
      const bob = newUserId()
      const sent = await round.race([
        () => reportOf(target, contextOf(bob)),
        () => reportOf(target, contextOf(bob), { category: 'spam' }),
      ])
      expect(tally(sent)).toBe('2 ok')
      expect(sent.filter(({ answer }) => answer?.isNew)).toHaveLength(1)
      expect(sent[0]?.answer?.report.id).toBe(sent[1]?.answer?.report.id)
      expect(await caseRow(await caseOf(target))).toMatchObject({ report_count: 1, fresh_reporters: 1 })
      await expectSound(ada.user_id)
    })
  })

  it('at the end of MAX_REPORTS_PER_DAY: one more is possible, and not two', async () => {
    await rounds(async (round) => {
      const [one, two] = [await scene(), await scene()]
      const bob = newUserId()
      const reporter = () => contextOf(bob, {}, { MAX_REPORTS_PER_DAY: 1 })
      const sent = await round.race([
        () => reportOf(one.target, reporter()),
        () => reportOf(two.target, reporter()),
      ])
      expect(tally(sent)).toBe('1 LIMIT_REACHED, 1 ok')
      await expectSound(one.ada.user_id, two.ada.user_id)
    })
  })
})

describe('a decision', () => {
  it('that rates at teen, against an edit of the rating: the edit is refused, or was what is rated', async () => {
    await rounds(async (round) => {
      const { ada, id, case_id, again } = await scene()
      await editAsset(ada, id, { rating: 'mature' })
      const [edited, made] = await round.race<{ id: string }>([
        () => editAsset(again(), id, { rating: 'everyone' }),
        () => decided(case_id, 'rate'),
      ])
      expect(made?.code).toBeUndefined()
      if (round.isBefore(edited, made)) expect(edited?.code).toBeUndefined()
      if (round.isBefore(made, edited)) expect(edited?.code).toBe('RATING_LOCKED')
      expect(await measuredRow(id)).toMatchObject({ rating: 'teen', rating_locked: 'teen' })
      await expectSound(ada.user_id)
      await liftDecision(moderator(), there(made?.answer).id)
      const before = edited?.code === undefined ? 'everyone' : 'mature'
      expect(await measuredRow(id)).toMatchObject({ rating: before, rating_locked: null })
      await expectSound(ada.user_id)
    })
  })

  it.each(decisionsOnAssets)(
    '“%s” against a branch of one’s own: a branch that comes later has the measure, too',
    async (action) => {
      await rounds(async (round) => {
        const { ada, id, case_id, again } = await scene()
        const [branched, made] = await round.race<{ id: string }>([
          async () => (await branchAsset(again(), id, { name: 'branch' })).asset,
          () => decided(case_id, action),
        ])
        expect([branched?.code, made?.code]).toEqual([undefined, undefined])
        const branch = await measuredRow(there(branched?.answer).id)
        const source = await measuredRow(id)
        const free = { blocked: 0, unlisted: 0, rating: null, rating_locked: null }
        if (round.isBefore(branched, made)) expect(branch).toEqual(free)
        if (round.isBefore(made, branched)) expect(branch).toEqual(source)
        expect([free, source]).toContainEqual(branch)
        await expectSound(ada.user_id)
      })
    },
  )
})
