import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import type { Saves } from '../../src/features/saves/saves.ts'
import { DAY } from '../../src/platform/lib/units.ts'
import { NOW, newSaves, rowsOf, rulesWith, writeOf } from '../support/saves-object.ts'

type Stub = DurableObjectStub<Saves>

/** Writes a slot, and returns the revision or the error. */
async function write(saves: Stub, slot: string, text: string, rules = rulesWith()) {
  const written = await saves.write(writeOf(slot, text), rules)
  return written.error ?? written.save.revision
}

/** The revisions of a slot, oldest first. */
async function numbersOf(saves: Stub, slot: string, rules = rulesWith()): Promise<number[]> {
  const answer = await saves.revisions(slot, rules)
  return answer.error ? [] : answer.revisions.map(({ revision }) => revision).reverse()
}

/** The bytes of a slot's current revision as text. */
async function textOf(saves: Stub, slot: string, revision?: number): Promise<string | undefined> {
  const read = await saves.read(slot, revision, {}, rulesWith())
  return read.error ? undefined : new TextDecoder().decode(read.bytes)
}

/** The rows in the table; undefined: there is no table. */
function storedIn(saves: Stub): Promise<number | undefined> {
  return runInDurableObject(saves, (_, { storage: { sql } }) => {
    const tables = sql.exec(`SELECT name FROM sqlite_schema WHERE name = 'revisions'`).toArray()
    return tables.length === 0
      ? undefined
      : sql.exec<{ count: number }>('SELECT count(*) AS count FROM revisions').one().count
  })
}

describe('the rows of a save', () => {
  it('are one for each write, also when the slot is full, when room has to be made, and for a restore', async () => {
    const saves = newSaves()
    for (let slot = 0; slot < 20; slot++)
      for (let revision = 0; revision < 5; revision++) await write(saves, `slot-${slot}`, 'x'.repeat(100))
    await evictDurableObject(saves)
    const full = await rowsOf(saves, (object) => object.write(writeOf('slot-3', 'new'), rulesWith()))
    expect(full, 'a full slot, and an instance that has read nothing').toEqual({ read: 101, written: 1 })
    const withKey = writeOf('slot-4', 'new', { idempotency_key: 'key' })
    const next = await rowsOf(saves, (object) => object.write(withKey, rulesWith()))
    expect(next.written, 'a full slot, and a key').toBe(1)
    expect(next.read, 'the instance knows its rows').toBeLessThanOrEqual(1)
    const tight = rulesWith({ limit_bytes: 100 * 98 + 6 })
    const room = await rowsOf(saves, (object) => object.write(writeOf('slot-5', 'x'.repeat(100)), tight))
    expect(room.written, 'no room').toBeLessThanOrEqual(2)
    const restore = await rowsOf(saves, (object) => object.restore('slot-3', 3, {}, rulesWith()))
    expect(restore.written, 'a restore').toBe(1)
    expect(await textOf(saves, 'slot-3')).toBe('x'.repeat(100))
    const read = await rowsOf(saves, (object) => object.read('slot-3', undefined, {}, rulesWith()))
    expect(read, 'a read').toEqual({ read: 1, written: 0 })
    const known = { if_none_match: [7] }
    expect(await rowsOf(saves, (object) => object.read('slot-3', undefined, known, rulesWith()))).toEqual({
      read: 0,
      written: 0,
    })
    expect(await rowsOf(saves, (object) => object.list(false, rulesWith()))).toEqual({ read: 0, written: 0 })
    const removed = await rowsOf(saves, (object) => object.remove('slot-3', {}, rulesWith()))
    expect(removed.written, 'a deletion: the row, the alarm and, once, the retention').toBe(3)
    expect((await rowsOf(saves, (object) => object.remove('slot-4', {}, rulesWith()))).written).toBe(1)
  })

  it('are one for a refused write that is kept, and none for one that is not', async () => {
    const saves = newSaves()
    await write(saves, 'auto', 'one')
    const stale = { if_match: [9] }
    const refused = await rowsOf(saves, (object) => object.write(writeOf('auto', 'two', stale), rulesWith()))
    expect(refused.written).toBe(0)
    const keep = { ...stale, keep: true }
    for (const idempotency_key of [null, 'key']) {
      const write = writeOf('auto', 'two', { ...keep, idempotency_key })
      expect((await rowsOf(saves, (object) => object.write(write, rulesWith()))).written).toBe(1)
      expect((await rowsOf(saves, (object) => object.write(write, rulesWith()))).written).toBe(0)
    }
  })

  it('are none, and no table, after reads of an empty account', async () => {
    const saves = newSaves()
    await saves.list(false, rulesWith())
    await saves.read('auto', undefined, {}, rulesWith())
    await saves.revisions('auto', rulesWith())
    await saves.restore('auto', undefined, {}, rulesWith())
    await saves.remove('auto', {}, rulesWith())
    await saves.write(writeOf('auto', 'x', { if_match: [1] }), rulesWith())
    expect(await storedIn(saves)).toBeUndefined()
    const keys = await runInDurableObject(saves, (_, { storage: { kv } }) => [...kv.list()])
    expect(keys).toEqual([])
  })

  it('do not grow without bound when saves without bytes are written, kept and deleted', async () => {
    const saves = newSaves()
    const rules = rulesWith({ max_slots: 3, max_revisions: 2 })
    for (let number = 0; number < 40; number++) {
      await write(saves, `slot-${number}`, '', rules)
      await write(saves, `slot-${number}`, '', rules)
      await saves.write(writeOf(`slot-${number}`, '', { if_match: [1], keep: true }), rules)
      await saves.remove(`slot-${number}`, {}, rules)
    }
    expect((await saves.list(true, rules)).saves.map(({ slot }) => slot)).toEqual([
      'slot-39',
      'slot-38',
      'slot-37',
    ])
    expect(await storedIn(saves)).toBe(6)
  })
})

describe('revisions over time', () => {
  /** A midnight, so that days are easily told. */
  const MIDNIGHT = Math.floor(NOW / DAY) * DAY
  const rulesOn = (day: number, different = {}) =>
    rulesWith({ now: MIDNIGHT + day * DAY + 3_600, max_revisions: 2, max_days: 3, ...different })
  const textsOf = async (saves: Stub) => {
    const numbers = await numbersOf(saves, 'auto')
    return Promise.all(numbers.map((number) => textOf(saves, 'auto', number)))
  }

  it('are the last of each of the days before a write, beside the last ones, and no later clock removes them', async () => {
    const saves = newSaves()
    for (let day = 0; day < 6; day++)
      for (const time of ['a', 'b', 'c']) await write(saves, 'auto', `${day}${time}`, rulesOn(day))
    expect(await textsOf(saves), 'of the fifth day: the last two; of days 2 to 4: the last').toEqual([
      '2c',
      '3c',
      '4c',
      '5b',
      '5c',
    ])
    const much = rulesOn(90)
    expect((await saves.revisions('auto', much)).error).toBeUndefined()
    await write(saves, 'other', 'x', much)
    expect(await textsOf(saves), 'a write to another slot').toHaveLength(5)
    await write(saves, 'auto', 'late', much)
    expect(await textsOf(saves)).toEqual(['5c', 'late'])
  })

  it('leave a day without a write out, and keep what a restore restores', async () => {
    const saves = newSaves()
    for (const day of [0, 2, 3]) await write(saves, 'auto', String(day), rulesOn(day))
    expect(await textsOf(saves)).toEqual(['0', '2', '3'])
    await saves.restore('auto', 1, {}, rulesOn(9))
    expect(await textsOf(saves), 'no day is near, so only the restored one stays beside').toEqual(['0', '0'])
  })

  it('are no refused writes that were kept', async () => {
    const saves = newSaves()
    await write(saves, 'auto', 'written', rulesOn(0))
    await saves.write(writeOf('auto', 'refused', { if_match: [9], keep: true }), rulesOn(0))
    for (const text of ['one', 'two']) await write(saves, 'auto', text, rulesOn(1))
    expect(await textsOf(saves)).toEqual(['written', 'one', 'two'])
  })

  it('go before the last ones of any slot when room is needed, also before older ones, the oldest first', async () => {
    const saves = newSaves()
    const tight = (day: number) => rulesOn(day, { limit_bytes: 6 })
    for (const text of ['x', 'y']) await write(saves, 'older', text, tight(0))
    for (const [day, text] of ['1', '2', '3', '4'].entries()) await write(saves, 'auto', text, tight(day + 1))
    for (const left of [
      ['2', '3', '4'],
      ['3', '4'],
    ]) {
      await write(saves, 'third', 'z', tight(4))
      expect([await textsOf(saves), await numbersOf(saves, 'older')]).toEqual([left, [1, 2]])
    }
    await write(saves, 'fourth', 'z', tight(4))
    expect(await numbersOf(saves, 'older'), 'then the oldest of all').toEqual([2])
  })

  it('write one row a save, and one more where a day ends and another is left', async () => {
    const saves = newSaves()
    const written: number[][] = []
    for (let day = 0; day < 8; day++) {
      const ofDay: number[] = []
      for (let count = 0; count < 4; count++) {
        const { written } = await rowsOf(saves, (object) =>
          object.write(writeOf('auto', `${day}${count}`), rulesOn(day)),
        )
        ofDay.push(written)
      }
      written.push(ofDay)
    }
    const [first, ...others] = written
    expect(first?.slice(1), 'after the first write, which makes the tables').toEqual([1, 1, 1])
    const [growing, full] = [
      [1, 1, 1, 1],
      [2, 1, 1, 1],
    ]
    expect(others).toEqual([growing, growing, growing, full, full, full, full])
  })
})

it('slots that were deleted on two days go by two alarms, each on its day', async () => {
  const saves = newSaves()
  for (const [days, slot] of ['first', 'second'].entries()) {
    await write(saves, slot, 'x')
    await saves.remove(slot, {}, rulesWith({ now: NOW + days * DAY }))
  }
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    for (const [days, left] of [1, 0].entries()) {
      vi.setSystemTime((NOW + (30 + days) * DAY) * 1_000)
      expect(await runDurableObjectAlarm(saves)).toBe(true)
      expect(await storedIn(saves)).toBe(left)
    }
  } finally {
    vi.useRealTimers()
  }
  expect(await runDurableObjectAlarm(saves)).toBe(false)
})

describe('the number of a revision', () => {
  it('is never used again after a deletion, and goes on in the new slot', async () => {
    const saves = newSaves()
    for (const text of ['one', 'two', 'three']) await write(saves, 'auto', text)
    await saves.remove('auto', {}, rulesWith())
    expect(await write(saves, 'auto', 'new')).toBe(4)
    expect(await numbersOf(saves, 'auto')).toEqual([4])
  })

  it('is never used again after the deleted slot has expired, by a write or by the alarm', async () => {
    const later = rulesWith({ now: NOW + 30 * DAY })
    const byWrite = newSaves()
    for (const text of ['one', 'two', 'three']) await write(byWrite, 'auto', text)
    await byWrite.remove('auto', {}, rulesWith())
    expect(await write(byWrite, 'other', 'x', later)).toBe(4)
    expect(await storedIn(byWrite)).toBe(1)
    expect(await write(byWrite, 'auto', 'x', later)).toBe(4)

    const byAlarm = newSaves()
    for (const text of ['one', 'two', 'three']) await write(byAlarm, 'auto', text)
    await byAlarm.remove('auto', {}, rulesWith({ now: NOW - 31 * DAY }))
    expect(await runDurableObjectAlarm(byAlarm)).toBe(true)
    expect(await storedIn(byAlarm)).toBe(0)
    await evictDurableObject(byAlarm)
    expect(await write(byAlarm, 'auto', 'x')).toBe(4)
  })

  it('is never used again when the kept revision that had it makes room', async () => {
    const saves = newSaves()
    await write(saves, 'auto', 'one')
    const kept = await saves.write(writeOf('auto', 'xxxx', { if_match: [9], keep: true }), rulesWith())
    expect(kept).toMatchObject({ error: 'PRECONDITION_FAILED', kept_revision: 2 })
    expect(await write(saves, 'other', 'xxxx', rulesWith({ limit_bytes: 8 }))).toBe(1)
    expect(await numbersOf(saves, 'auto')).toEqual([1])
    await evictDurableObject(saves)
    expect(await write(saves, 'auto', 'two')).toBe(3)
  })

  it('is never used again after the player was erased', async () => {
    const saves = newSaves()
    for (const text of ['one', 'two', 'three']) await write(saves, 'auto', text)
    expect(await saves.erase('mark-1')).toBe(3)
    expect(await storedIn(saves)).toBeUndefined()
    await evictDurableObject(saves)
    const stale = await saves.write(writeOf('auto', 'old device', { if_match: [3] }), rulesWith())
    expect(stale).toEqual({ error: 'PRECONDITION_FAILED', current: undefined })
    expect(await write(saves, 'auto', 'new')).toBe(4)
    expect(await write(saves, 'other', 'new')).toBe(4)
  })
})

describe('an erasure', () => {
  it('takes the Idempotency-Keys with it: the same key is then one of another write', async () => {
    const saves = newSaves()
    const send = (text: string) => saves.write(writeOf('auto', text, { idempotency_key: 'key' }), rulesWith())
    expect(await send('old')).toMatchObject({ save: { revision: 1 }, is_new: true })
    expect(await send('new')).toEqual({ error: 'IDEMPOTENCY_KEY_REUSED' })
    await saves.erase('mark-1')
    expect(await send('new')).toMatchObject({ save: { revision: 2 }, is_new: true })
  })

  it('deletes nothing when it is repeated after new writes, nor when an earlier one comes late', async () => {
    const saves = newSaves()
    await write(saves, 'auto', 'old')
    expect(await saves.erase('mark-2')).toBe(1)
    await write(saves, 'auto', 'new')
    expect(await saves.erase('mark-2')).toBe(0)
    expect(await saves.erase('mark-1')).toBe(0)
    expect(await textOf(saves, 'auto')).toBe('new')
    expect(await saves.erase('mark-20')).toBe(1)
  })

  it('of an empty account is remembered too', async () => {
    const saves = newSaves()
    expect(await saves.erase('mark-1')).toBe(0)
    await write(saves, 'auto', 'new')
    expect(await saves.erase('mark-1')).toBe(0)
    expect(await textOf(saves, 'auto')).toBe('new')
  })

  it('leaves one key, without the names of slots, and no alarm', async () => {
    const saves = newSaves()
    await write(saves, 'auto', 'old')
    await saves.remove('auto', {}, rulesWith())
    await saves.erase('mark-1')
    const left = await runInDurableObject(saves, (_, { storage: { kv } }) => [...kv.list()])
    expect(left).toEqual([['account', { floor: 1, mark: 'mark-1' }]])
    expect(await runDurableObjectAlarm(saves)).toBe(false)
  })
})

describe('an object', () => {
  it('that fails within a change has written nothing of it, and knows nothing of it', async () => {
    const saves = newSaves()
    for (const text of ['one', 'two']) await write(saves, 'auto', text)
    const rules = rulesWith({ max_revisions: 1 })
    await runInDurableObject(saves, (object, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql)
      sql.exec = (query, ...values) => {
        if (query.startsWith('DELETE')) throw new Error('the disk is full')
        return exec(query, ...values)
      }
      try {
        expect(() => object.write(writeOf('auto', 'three'), rules)).toThrow('the disk is full')
      } finally {
        sql.exec = exec
      }
    })
    expect(await numbersOf(saves, 'auto')).toEqual([1, 2])
    expect(await textOf(saves, 'auto')).toBe('two')
    expect(await write(saves, 'auto', 'three', rules)).toBe(3)
    expect(await numbersOf(saves, 'auto')).toEqual([3])
  })

  it('that is evicted between calls has everything that it has answered', async () => {
    const name = `evicted-${crypto.randomUUID()}`
    for (let number = 1; number <= 8; number++) {
      const saves = env.SAVES.getByName(name)
      expect(await write(saves, 'auto', `text ${number}`)).toBe(number)
      await evictDurableObject(saves)
      expect(await textOf(env.SAVES.getByName(name), 'auto')).toBe(`text ${number}`)
    }
    expect(await numbersOf(env.SAVES.getByName(name), 'auto')).toEqual([4, 5, 6, 7, 8])
  })
})
