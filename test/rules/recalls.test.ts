import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { createRecall, endRecall } from '../../src/features/saves/recalls/create.ts'
import { countReports } from '../../src/features/saves/recalls/report.ts'
import { inForce, type Recall } from '../../src/features/saves/recalls/row.ts'
import type { SaveRules } from '../../src/features/saves/rpc.ts'
import type { Saves } from '../../src/features/saves/saves.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/lib/units.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { NOW, newSaves, rowsOf, rulesWith, writeOf } from '../support/saves-object.ts'

type Stub = DurableObjectStub<Saves>

/** When the patch broke the saves, and when it was mended, some hours ago. */
const BROKEN = NOW - 5 * HOUR
const MENDED = NOW - 3 * HOUR
const BEFORE = BROKEN - HOUR

const recallOf = (different: Partial<Recall> = {}): Recall => ({
  id: 'recall-1',
  number: 1,
  from: BROKEN,
  until: MENDED,
  reverts_newer: false,
  slots: null,
  ...different,
})
const knowing = (...recalls: Recall[]): SaveRules => rulesWith({ recalls })
const reverting = recallOf({ reverts_newer: true })

/** Writes a slot at a time, in an isolate that knows no recall. */
async function writeAt(saves: Stub, now: number, text: string, slot = 'auto', different = {}): Promise<void> {
  const { error } = await saves.write(writeOf(slot, text, different), rulesWith({ now }))
  if (error) throw new Error(error)
}

/** Saves with a good revision and a broken one. */
async function brokenSaves(slot = 'auto'): Promise<Stub> {
  const saves = newSaves()
  await writeAt(saves, BEFORE, 'good', slot)
  await writeAt(saves, BROKEN, 'broken', slot)
  return saves
}

async function textOf(saves: Stub, rules: SaveRules = rulesWith(), slot = 'auto', revision?: number) {
  const read = await saves.read(slot, revision, {}, rules)
  return read.error ?? new TextDecoder().decode(read.bytes)
}

async function historyOf(saves: Stub, slot = 'auto') {
  const history = await saves.revisions(slot, rulesWith())
  return history.error ? [] : history.revisions.map(({ revision, recall_id }) => [revision, recall_id])
}

/** What the object has still to report, and the highest number that it has applied. */
const accountOf = (saves: Stub) =>
  runInDurableObject(saves, (_, { storage: { kv } }) => kv.get<Record<string, unknown>>('account') ?? {})

describe('a recall', () => {
  it.each<[string, (saves: Stub, rules: SaveRules) => Promise<unknown>]>([
    ['a list', async (saves, rules) => saves.list(false, rules)],
    ['a read', async (saves, rules) => saves.read('auto', 1, {}, rules)],
    ['a history', async (saves, rules) => saves.revisions('other', rules)],
    ['a write to another slot', async (saves, rules) => saves.write(writeOf('other', 'x'), rules)],
    ['a refused write', async (saves, rules) => saves.write(writeOf('auto', 'x', { if_match: [9] }), rules)],
    ['a restore that finds nothing', async (saves, rules) => saves.restore('other', 1, {}, rules)],
    ['a deletion that finds nothing', async (saves, rules) => saves.remove('other', {}, rules)],
    ['what an isolate passes on', async (saves, rules) => saves.recall(rules)],
  ])('is applied by %s, once, as a new revision that says so', async (_, touch) => {
    const saves = await brokenSaves()
    for (let times = 0; times < 3; times++) await touch(saves, knowing(recallOf()))
    expect(await historyOf(saves)).toEqual([
      [3, 'recall-1'],
      [2, null],
      [1, null],
    ])
    expect([await textOf(saves), await textOf(saves, rulesWith(), 'auto', 2)]).toEqual(['good', 'broken'])
  })

  it('goes back to the last revision from before that was current, and has its metadata and its writer', async () => {
    const saves = newSaves()
    await writeAt(saves, BEFORE - 1, 'older')
    await saves.writeFor('a server', writeOf('auto', 'good'), rulesWith({ now: BEFORE }))
    const kept = writeOf('auto', 'refused', { if_match: [9], keep: true })
    await saves.write(kept, rulesWith({ now: BEFORE + 1 }))
    for (const text of ['broken', 'more broken']) await writeAt(saves, BROKEN, text)
    const read = await saves.read('auto', undefined, {}, knowing(recallOf()))
    expect(read).toMatchObject({
      save: {
        revision: 6,
        written_by: 'a server',
        recall_id: 'recall-1',
        created_at: BEFORE - 1,
        updated_at: NOW,
      },
    })
    expect(await textOf(saves)).toBe('good')
  })

  it('is undone by a restore, and then leaves the slot alone', async () => {
    const saves = await brokenSaves()
    expect(await textOf(saves, knowing(reverting))).toBe('good')
    await saves.restore('auto', 2, {}, knowing(reverting))
    expect(await textOf(saves, knowing(reverting))).toBe('broken')
    await evictDurableObject(saves)
    expect(await textOf(saves, knowing(reverting))).toBe('broken')
  })

  it('makes the write of an old device a conflict, and one without a condition goes over it', async () => {
    const saves = await brokenSaves()
    const late = writeOf('auto', 'of the old device', { if_match: [2], keep: true })
    expect(await saves.write(late, knowing(recallOf()))).toMatchObject({
      error: 'PRECONDITION_FAILED',
      current: { revision: 3, recall_id: 'recall-1' },
      kept_revision: 4,
    })
    expect(await saves.write(writeOf('auto', 'free'), knowing(recallOf()))).toMatchObject({
      save: { revision: 5, recall_id: null },
    })
  })

  it('leaves what was written since, unless it says otherwise, and counts it', async () => {
    for (const [recall, text, counts] of [
      [recallOf(), 'played on', { slots: 0, kept: 1 }],
      [reverting, 'good', { slots: 1, kept: 0 }],
    ] as const) {
      const saves = await brokenSaves()
      await writeAt(saves, MENDED, 'played on')
      expect(await textOf(saves, knowing(recall))).toBe(text)
      expect(await accountOf(saves)).toMatchObject({ recalled: 1, reports: [counts] })
    }
  })

  it('leaves a slot without an earlier revision, and counts it', async () => {
    const saves = newSaves()
    await writeAt(saves, BROKEN, 'first')
    expect(await textOf(saves, knowing(recallOf()))).toBe('first')
    expect(await accountOf(saves)).toMatchObject({ reports: [{ slots: 0, kept: 0, without_earlier: 1 }] })
  })

  it('holds from its first second to the one before its end', async () => {
    for (const [at, text] of [
      [BROKEN - 1, 'last'],
      [BROKEN, 'good'],
      [MENDED - 1, 'good'],
      [MENDED, 'last'],
    ] as const) {
      const saves = newSaves()
      await writeAt(saves, BEFORE, 'good')
      await writeAt(saves, at, 'last')
      expect(await textOf(saves, knowing(reverting)), String(at - BROKEN)).toBe(text)
    }
  })

  it('leaves a deleted slot, also when that is restored later', async () => {
    const saves = await brokenSaves()
    await saves.remove('auto', {}, rulesWith())
    await saves.list(false, knowing(reverting))
    await saves.restore('auto', undefined, {}, knowing(reverting))
    expect(await textOf(saves, knowing(reverting))).toBe('broken')
  })

  it('concerns the slots that it names alone, and those of the studio’s servers only when it names them', async () => {
    for (const [slots, changed] of [
      [null, ['auto', 'manual']],
      [['manual'], ['manual']],
      [
        ['server.bag', 'auto', 'missing'],
        ['auto', 'server.bag'],
      ],
    ] as const) {
      const saves = newSaves()
      for (const slot of ['auto', 'manual', 'server.bag']) {
        await writeAt(saves, BEFORE, 'good', slot)
        await writeAt(saves, BROKEN, 'broken', slot)
      }
      const rules = knowing(recallOf({ slots: slots && [...slots] }))
      const back: string[] = []
      for (const slot of ['auto', 'manual', 'server.bag'])
        if ((await textOf(saves, rules, slot)) === 'good') back.push(slot)
      expect(back).toEqual(changed)
    }
  })

  it('waits for a player who is away for a year, and no longer once it has ended', async () => {
    const later = { now: NOW + 365 * DAY }
    for (const [recalls, text] of [
      [[recallOf()], 'good'],
      [[], 'broken'],
    ] as const) {
      const saves = await brokenSaves()
      await evictDurableObject(saves)
      expect(await textOf(saves, { ...rulesWith(later), recalls: [...recalls] })).toBe(text)
    }
  })

  it('finds room as a restore does, and goes beyond the room rather than leave what it recalls', async () => {
    const saves = newSaves()
    for (const slot of ['one', 'two']) {
      await writeAt(saves, BEFORE, 'good', slot)
      await writeAt(saves, BROKEN, 'broken', slot)
    }
    await writeAt(saves, NOW, 'other', 'other')
    const tight = { ...knowing(recallOf()), limit_bytes: 10 }
    expect(await textOf(saves, tight, 'one')).toBe('good')
    expect(await textOf(saves, tight, 'two'), 'one did not take the revision of the other').toBe('good')
    expect(await saves.write(writeOf('other', 'still too much'), tight)).toMatchObject({
      error: 'QUOTA_EXCEEDED',
    })
  })

  it('takes no slot back by another: what each goes back to stays, whatever makes room', async () => {
    const saves = newSaves()
    for (const slot of ['two', 'one']) await writeAt(saves, BEFORE, 'good', slot)
    for (const slot of ['one', 'two']) await writeAt(saves, BROKEN, 'broken', slot)
    // Both broken ones and both good ones fill the room: a restore of the first takes the oldest, which is the second's.
    const tight = { ...knowing(recallOf()), limit_bytes: 20 }
    expect([await textOf(saves, tight, 'one'), await textOf(saves, tight, 'two')]).toEqual(['good', 'good'])
  })
})

describe('recalls that overlap', () => {
  const earlier = recallOf({ id: 'earlier', number: 1, from: NOW - 8 * HOUR, until: NOW - 6 * HOUR })
  const later = recallOf({
    id: 'later',
    number: 2,
    from: NOW - 7 * HOUR,
    until: NOW - 4 * HOUR,
    reverts_newer: true,
  })

  async function twiceBroken(): Promise<Stub> {
    const saves = newSaves()
    await writeAt(saves, NOW - 9 * HOUR, 'good')
    await writeAt(saves, NOW - 7.5 * HOUR, 'broken once')
    await writeAt(saves, NOW - 5 * HOUR, 'broken twice')
    return saves
  }

  it('go back to what neither takes away, in one revision, when both come at once', async () => {
    const saves = await twiceBroken()
    const both = knowing({ ...earlier, reverts_newer: true }, later)
    expect(await textOf(saves, both)).toBe('good')
    expect(await historyOf(saves)).toHaveLength(4)
    expect(await accountOf(saves)).toMatchObject({
      recalled: 2,
      reports: [{ recall_id: 'earlier', slots: 1 }],
    })
  })

  it('go back to what neither takes away, when one comes after the other, in either order', async () => {
    const [first, second] = [{ ...earlier, reverts_newer: true }, later]
    for (const order of [
      [first, second],
      [
        { ...second, number: 1 },
        { ...first, number: 2 },
      ],
    ]) {
      const saves = await twiceBroken()
      for (const [index] of order.entries()) await saves.list(false, knowing(...order.slice(0, index + 1)))
      expect(await textOf(saves, knowing(...order)), order.map(({ id }) => id).join()).toBe('good')
    }
  })

  it('go back to nothing that an ended one took away', async () => {
    const saves = await twiceBroken()
    await saves.list(false, knowing({ ...earlier, reverts_newer: true }))
    await saves.write(writeOf('auto', 'played on'), rulesWith())
    expect(await textOf(saves, knowing(later)), 'nothing of its time has come since').toBe('played on')
    await writeAt(saves, NOW, 'x')
    const wide = recallOf({ id: 'wide', number: 3, from: NOW - 10, until: NOW + 10, reverts_newer: true })
    expect(await textOf(saves, { ...knowing(wide), now: NOW + 20 }), 'not to what was broken').toBe('good')
  })

  it('with a lower number than one that is applied come from an old list, and change nothing', async () => {
    const saves = await brokenSaves()
    await saves.list(false, knowing(recallOf({ id: 'new', number: 7 })))
    await saves.restore('auto', 2, {}, rulesWith())
    expect(await textOf(saves, knowing(recallOf({ id: 'old', number: 6, reverts_newer: true })))).toBe(
      'broken',
    )
  })
})

describe('a write of an isolate that knows no recall yet', () => {
  const unaware = { slot: 'auto', revision: 3 }

  it('with a condition is taken for the conflict that it would have been: it stays in the history', async () => {
    const saves = await brokenSaves()
    await writeAt(saves, NOW, 'of the old device', 'auto', { if_match: [2] })
    await saves.recall(knowing(recallOf()), unaware)
    expect([await textOf(saves), await textOf(saves, rulesWith(), 'auto', 3)]).toEqual([
      'good',
      'of the old device',
    ])
    expect(await accountOf(saves)).toMatchObject({ reports: [{ slots: 1, kept: 0 }] })
  })

  it('without a condition would have gone over the recall, and stays', async () => {
    const saves = await brokenSaves()
    await writeAt(saves, NOW, 'free')
    await saves.recall(knowing(recallOf()), unaware)
    expect(await textOf(saves)).toBe('free')
  })

  it('that has been written over, or follows what was played on, is one as any other', async () => {
    const over = await brokenSaves()
    await writeAt(over, NOW, 'of the old device', 'auto', { if_match: [2] })
    await writeAt(over, NOW, 'newer', 'auto', { if_match: [3] })
    await over.recall(knowing(recallOf()), unaware)
    expect(await textOf(over)).toBe('newer')
    const since = await brokenSaves()
    await writeAt(since, MENDED, 'played on')
    await writeAt(since, NOW, 'and on', 'auto', { if_match: [3] })
    await since.recall(knowing(recallOf()), { slot: 'auto', revision: 4 })
    expect(await textOf(since)).toBe('and on')
  })
})

describe('saves that a recall does not concern', () => {
  it('write nothing, and no key', async () => {
    const saves = newSaves()
    await writeAt(saves, BEFORE, 'good')
    await evictDurableObject(saves)
    const list = (rules: SaveRules) => rowsOf(saves, (object) => object.list(false, rules))
    expect(await list(rulesWith())).toEqual({ read: 1, written: 0 })
    expect(await list(knowing(recallOf()))).toEqual({ read: 0, written: 0 })
    expect(await accountOf(saves)).toEqual({})
  })

  it('that are empty stay without a table and without a key', async () => {
    const saves = newSaves()
    await saves.list(false, knowing(recallOf()))
    await saves.recall(knowing(recallOf()), { slot: 'auto', revision: 1 })
    expect(await runInDurableObject(saves, (_, { storage: { kv } }) => [...kv.list()])).toEqual([])
  })

  it('write a row for each slot that goes back, one for the account, and the alarm', async () => {
    const saves = newSaves()
    for (const slot of ['one', 'two', 'three']) {
      await writeAt(saves, BEFORE, 'good', slot)
      await writeAt(saves, BROKEN, 'broken', slot)
    }
    const touched = await rowsOf(saves, (object) => object.list(false, knowing(recallOf())))
    expect(touched.written).toBe(5)
    expect((await rowsOf(saves, (object) => object.list(false, knowing(recallOf())))).written).toBe(0)
  })
})

describe('a forecast', () => {
  it('says what would happen after the recalls before it, and changes nothing', async () => {
    const saves = await brokenSaves()
    await writeAt(saves, BROKEN, 'first', 'new')
    for (const slot of ['on', 'server.hidden.x']) {
      await writeAt(saves, BEFORE, 'good', slot)
      await writeAt(saves, BROKEN, 'broken', slot)
    }
    await writeAt(saves, MENDED, 'played on', 'on')
    const recall = recallOf({ slots: ['auto', 'new', 'on', 'server.hidden.x'] })
    const before = [await historyOf(saves), await accountOf(saves)]
    const expected = [
      { slot: 'auto', outcome: 'reverted', revision: 2, to_revision: 1 },
      { slot: 'new', outcome: 'without_earlier', revision: 1, to_revision: null },
      { slot: 'on', outcome: 'kept', revision: 3, to_revision: null },
    ]
    expect(await saves.forecast('recall-1', knowing(recall))).toEqual({ is_applied: false, slots: expected })
    const all = { ...knowing(recall), shows_all: true }
    expect((await saves.forecast('recall-1', all)).slots).toHaveLength(4)
    expect([await historyOf(saves), await accountOf(saves)]).toEqual(before)
    await saves.list(false, knowing(recall))
    expect(await saves.forecast('recall-1', knowing(recall))).toEqual({ is_applied: true, slots: [] })
    expect(await saves.forecast('ended', rulesWith())).toEqual({ is_applied: false, slots: [] })
  })
})

describe('the counts of a recall', () => {
  const made = async () => {
    const recall = { from: BROKEN, until: MENDED, newer: 'keep' as const, reason: 'a patch' }
    return createRecall(contextOf(newUserId()), recall)
  }
  const countsOf = async (id: string) =>
    env.DB.prepare(
      'SELECT player_count, slot_count, kept_count, without_earlier_count FROM recalls WHERE id = ?',
    )
      .bind(id)
      .first()
  const counted = (player_count: number, slot_count: number, kept_count = 0, without_earlier_count = 0) => ({
    player_count,
    slot_count,
    kept_count,
    without_earlier_count,
  })

  /** Runs the alarm of reports, which is due in some minutes. */
  async function report(saves: Stub): Promise<void> {
    const due = await runInDurableObject(saves, (_, { storage }) => storage.getAlarm())
    expect(Number(due)).toBeLessThanOrEqual((NOW + 25 * MINUTE) * 1_000)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime((NOW + 10 * MINUTE) * 1_000)
    try {
      expect(await runDurableObjectAlarm(saves)).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  }

  it('come by the alarm of the player’s object, once, and leave nothing behind', async () => {
    const row = await made()
    const saves = await brokenSaves()
    await writeAt(saves, BROKEN, 'first', 'new')
    await writeAt(saves, NOW, 'x', 'deleted')
    await saves.remove('deleted', {}, rulesWith()) // sets the alarm for a month later
    await saves.list(false, knowing(inForce(row)))
    expect(await countsOf(row.id)).toEqual(counted(0, 0))
    await report(saves)
    expect(await countsOf(row.id)).toEqual(counted(1, 1, 0, 1))
    expect(await accountOf(saves)).toEqual({ floor: 0, recalled: row.number, retention_days: 30 })
    const other = await brokenSaves()
    await writeAt(other, MENDED, 'played on')
    await other.list(false, knowing(inForce(row)))
    await report(other)
    expect(await countsOf(row.id), 'a player of whom nothing went back').toEqual(counted(1, 1, 1, 1))
    await endRecall(contextOf(newUserId()), row.id)
  })

  it('count a report once that comes again, because its answer was lost', async () => {
    const row = await made()
    const report = { id: crypto.randomUUID(), recall_id: row.id, slots: 2, kept: 1, without_earlier: 0 }
    await countReports(env.DB, [report])
    await countReports(env.DB, [report, { ...report, id: crypto.randomUUID(), kept: 0 }])
    expect(await countsOf(row.id)).toEqual(counted(2, 4, 1))
    await endRecall(contextOf(newUserId()), row.id)
  })

  it('wait while the first database does not answer, and come later', async () => {
    const row = await made()
    const saves = await brokenSaves()
    await saves.list(false, knowing(inForce(row)))
    await env.DB.exec('ALTER TABLE recall_reports RENAME TO away')
    await report(saves)
    expect(await accountOf(saves)).toMatchObject({ reports: [{ slots: 1 }] })
    await env.DB.exec('ALTER TABLE away RENAME TO recall_reports')
    await evictDurableObject(saves)
    await report(saves)
    expect(await countsOf(row.id)).toEqual(counted(1, 1))
    await endRecall(contextOf(newUserId()), row.id)
  })

  it('come also of a player who is erased meanwhile, and an erased player is not recalled again', async () => {
    const row = await made()
    const saves = await brokenSaves()
    await saves.list(false, knowing(inForce(row)))
    await saves.erase('mark-1')
    await report(saves)
    expect(await countsOf(row.id)).toEqual(counted(1, 1))
    expect(await accountOf(saves)).toEqual({ floor: 3, mark: 'mark-1', recalled: row.number })
    await writeAt(saves, BROKEN, 'new')
    expect(await textOf(saves, knowing(inForce(row)))).toBe('new')
    await endRecall(contextOf(newUserId()), row.id)
  })

  it('of a recall that is gone, because the first database went back in time, are dropped', async () => {
    const saves = await brokenSaves()
    await saves.list(false, knowing(recallOf({ id: 'gone', number: Date.now() })))
    await report(saves)
    expect((await accountOf(saves)).reports).toBeUndefined()
    expect(await textOf(saves)).toBe('good')
  })
})
