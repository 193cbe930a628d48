import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { drawsOf, lagsOf, logUniform } from '../../bench/distance/draws.ts'
import type { ReplicatedDatabase } from '../../bench/distance/replicated.ts'
import { LAG_MS, newClock, replicatedDatabase } from '../support/replicas.ts'

/** The database with replicas of test/http/own-writes.test.ts and of `npm run bench -- distance` behaves as D1 documents it. */
const clock = newClock()
let database: ReplicatedDatabase

beforeAll(async () => {
  database = await replicatedDatabase(clock, 'DB')
  await run(database.near('Frankfurt').withSession(), 'CREATE TABLE notes (text TEXT UNIQUE) STRICT')
  await clock.wait(LAG_MS)
})
afterAll(() => vi.useRealTimers())

type Session = ReturnType<ReturnType<ReplicatedDatabase['near']>['withSession']>

const run = (session: Session, sql: string, ...values: unknown[]) =>
  session
    .prepare(sql)
    .bind(...values)
    .all()
const write = (session: Session, text: string) => run(session, 'INSERT INTO notes VALUES (?)', text)
const inSydney = (from?: string) => database.near('Sydney').withSession(from)

/** Whether a session reads a note, who answers it, and how long that takes. */
async function look(session: Session, text: string) {
  const began_ms = clock.now_ms
  const { results, meta } = await run(session, 'SELECT text FROM notes WHERE text = ?', text)
  const { served_by_region: region, served_by_primary: isPrimary } = meta
  return { isThere: results.length > 0, region, isPrimary, ms: Math.round(clock.now_ms - began_ms) }
}

/** Writes a note at the primary. Returns the bookmark. */
async function written(text: string): Promise<string> {
  const session = database.near('Frankfurt').withSession()
  await write(session, text)
  return session.getBookmark() ?? ''
}

it('answers from the nearest copy, which has old rows until the write has arrived', async () => {
  await written('old')
  expect(await look(inSydney(), 'old')).toEqual({ isThere: false, region: 'OC', isPrimary: false, ms: 9 })
  await clock.wait(LAG_MS)
  expect(await look(inSydney(), 'old')).toEqual({ isThere: true, region: 'OC', isPrimary: false, ms: 9 })
})

it('makes the replica wait until it has the position of a bookmark', async () => {
  const bookmark = await written('awaited')
  const { isThere, isPrimary, ms } = await look(inSydney(bookmark), 'awaited')
  expect({ isThere, isPrimary }).toEqual({ isThere: true, isPrimary: false })
  expect(ms).toBeGreaterThan(LAG_MS - 100)
})

it('sends the first trip of a session to the primary that begins there, and the next one to a replica that is as fresh', async () => {
  await written('first')
  const session = inSydney('first-primary')
  expect(await look(session, 'first')).toEqual({ isThere: true, region: 'WEUR', isPrimary: true, ms: 282 })
  expect(await look(session, 'first')).toMatchObject({ isThere: true, isPrimary: false })
})

it('forwards a write from the replica to the primary, and shows it to the session', async () => {
  const session = inSydney()
  const began_ms = clock.now_ms
  const { meta } = await write(session, 'forwarded')
  expect(meta).toMatchObject({ served_by_region: 'WEUR', served_by_primary: true })
  expect(clock.now_ms - began_ms).toBeCloseTo(8.9 + 281.9)
  expect(await look(inSydney(), 'forwarded')).toMatchObject({ isThere: false })
  expect(await look(session, 'forwarded')).toMatchObject({ isThere: true, isPrimary: false })
})

it('executes a batch that fails nowhere', async () => {
  await written('taken')
  const session = inSydney()
  const statements = ['rolled back', 'taken'].map((text) =>
    session.prepare('INSERT INTO notes VALUES (?)').bind(text),
  )
  await expect(session.batch(statements)).rejects.toThrow('UNIQUE')
  await clock.wait(LAG_MS * 2)
  expect(await look(inSydney(), 'rolled back')).toMatchObject({ isThere: false, isPrimary: false })
  expect(await look(inSydney(), 'taken')).toMatchObject({ isThere: true, isPrimary: false })
})

it('has no bookmark before the first trip, and gives later ones that sort after earlier ones', async () => {
  const session = inSydney('first-primary')
  expect(session.getBookmark()).toBeNull()
  const [one, other] = [await written('one'), await written('other')]
  expect(other > one).toBe(true)
  expect(inSydney(one).getBookmark()).toBe(one)
  const later = inSydney(one)
  await clock.wait(LAG_MS * 2)
  await look(later, 'other')
  expect(later.getBookmark()).toBe(other)
  await look(session, 'other')
  expect(session.getBookmark()).toBe(other)
})

it('answers everything from the primary without replicas', async () => {
  const session = database.near('Sydney', true).withSession(await written('alone'))
  expect(await look(session, 'alone')).toEqual({ isThere: true, region: 'WEUR', isPrimary: true, ms: 282 })
})

it('lets two trips at once take as long as the longer one', async () => {
  const began_ms = clock.now_ms
  await Promise.all([look(inSydney(), 'a'), look(inSydney('first-primary'), 'a')])
  expect(clock.now_ms - began_ms).toBeCloseTo(281.9)
})

it('runs a timer before a wait that ends later, at its own time', async () => {
  const ended: string[] = []
  const began_ms = clock.now_ms
  clock.setTimer(() => ended.push(`timer ${clock.now_ms - began_ms}`), 10)
  const takeBack = clock.setTimer(() => ended.push('a timer that was taken back'), 11)
  takeBack()
  await clock.wait(20)
  expect([...ended, `wait ${clock.now_ms - began_ms}`]).toEqual(['timer 10', 'wait 20'])
})

it('draws lags of 0.8 s in the median and of 6 s at the 99th percentile, the same ones from the same seed', () => {
  const lags = (seed: number) =>
    Array.from({ length: 20_000 }, (_, minute) => lagsOf(seed)(1, minute * 60_000))
  const sorted = lags(1).toSorted((one, other) => one - other)
  expect(sorted[10_000]).toBeGreaterThan(760)
  expect(sorted[10_000]).toBeLessThan(840)
  expect(sorted[19_800]).toBeGreaterThan(5_400)
  expect(sorted[19_800]).toBeLessThan(6_600)
  expect(lags(1)).toEqual(lags(1))
  expect(lags(2)).not.toEqual(lags(1))
})

it('draws pauses of which every doubling is as likely', () => {
  const draw = drawsOf(1)
  const pauses = Array.from({ length: 20_000 }, () => logUniform(draw, 1, 16)).toSorted(
    (one, other) => one - other,
  )
  expect(
    [pauses[0], pauses[5_000], pauses[10_000], pauses.at(-1)].map((pause) => Math.round(pause ?? 0)),
  ).toEqual([1, 2, 4, 16])
})
