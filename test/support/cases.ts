import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import { FIRST } from '../../src/platform/shards/map.ts'
import { databaseNames, everyDatabase } from './databases.ts'

interface CaseOfRows {
  id: string
  target_type: 'asset' | 'file' | 'user'
  target_id: string
  sequence: number
  applied: number
  decision_id: string | null
  decision: string | null
  appeal: string | null
}

interface ThingOfRows {
  type: 'asset' | 'file'
  id: string
  blocked: 0 | 1
  unlisted: 0 | 1 | null
  rating: string | null
  rating_locked: string | null
  sequence: number | null
  decision_id: string | null
  action: string | null
  measured_rating: string | null
}

/** SQL: the users of the list in JSON that is the first parameter. */
const LISTED = '(SELECT value FROM json_each(?1))'

/** SQL: the cases of these owners, or about these users. */
const CASES = `SELECT id, target_type, target_id, sequence, applied, decision_id, decision, appeal FROM cases WHERE owner_id IN ${LISTED}`

/** SQL: a JSON object of a case with its keys in order, and the same from counted rows. */
const sorted = (object: string) =>
  `(SELECT json_group_object(key, value) FROM (SELECT key, value FROM json_each(${object}) ORDER BY key))`
const counted = (value: string, which: string) =>
  `(SELECT json_group_object(category, found) FROM (SELECT category, ${value} AS found FROM reports
    WHERE case_id = one.id AND ${which} GROUP BY category ORDER BY category))`
const openReports = 'FROM reports WHERE case_id = one.id AND round = one.round'

/** SQL: the cases whose counts differ from their reports. */
const MISCOUNTED = `SELECT id, report_count, illegal_count, categories, seen FROM cases AS one WHERE owner_id IN ${LISTED}
  AND (report_count <> (SELECT count(*) ${openReports}) OR illegal_count <> (SELECT coalesce(sum(is_illegal), 0) ${openReports})
    OR ${sorted('categories')} <> ${counted('count(*)', 'round = one.round')} OR ${sorted('seen')} <> ${counted('1', 'true')}
    OR (first_reported_at IS NULL) <> (report_count = 0) OR (last_reported_at IS NULL) <> (report_count = 0))`

/** SQL: cases and decisions that contradict each other, each with the reason. */
const TORN = `SELECT id, 'a decision that is not the last one is in force' AS why FROM decisions AS one WHERE owner_id IN ${LISTED} AND lifted_at IS NULL
    AND EXISTS (SELECT 1 FROM decisions AS later WHERE later.case_id = one.case_id AND later.sequence > one.sequence)
  UNION ALL SELECT id, 'the last decision is in force, and the case does not say so' FROM cases AS one WHERE owner_id IN ${LISTED}
    AND decision_id IS NOT (SELECT id FROM decisions WHERE case_id = one.id AND lifted_at IS NULL)
  UNION ALL SELECT id, 'a decision has a number that the case has not reached' FROM decisions AS one WHERE owner_id IN ${LISTED}
    AND sequence > (SELECT sequence FROM cases WHERE cases.id = one.case_id)
`
const TORN_APPEALS = `SELECT one.id, 'an appeal is open against what is lifted' AS why FROM appeals AS one JOIN decisions ON decisions.id = one.decision_id
    WHERE decisions.owner_id IN ${LISTED} AND one.state = 'open' AND decisions.lifted_at IS NOT NULL
  UNION ALL SELECT id, 'the case does not say since when an appeal is open' FROM cases AS one WHERE owner_id IN ${LISTED}
    AND appealed_at IS NOT (SELECT created_at FROM appeals WHERE case_id = one.id AND state = 'open')
  UNION ALL SELECT id, 'not one decision has ended each round of a case' FROM cases AS one WHERE owner_id IN ${LISTED}
    AND (round <> (SELECT count(*) FROM decisions WHERE case_id = one.id AND round IS NOT NULL)
      OR round <= coalesce((SELECT max(round) FROM decisions WHERE case_id = one.id), -1)
      OR round < (SELECT max(round) FROM reports WHERE case_id = one.id))`

/** SQL: the last decision of each case, and its appeal. */
const LAST = `SELECT * FROM decisions AS one WHERE case_id IN (SELECT id FROM cases WHERE owner_id IN ${LISTED})
  AND sequence = (SELECT max(sequence) FROM decisions WHERE case_id = one.case_id)`
const APPEALS = `SELECT * FROM appeals WHERE case_id IN (SELECT id FROM cases WHERE owner_id IN ${LISTED})`

/** SQL: the rows of `case_categories` that differ from the cases, in both directions. */
const categoriesOf = `SELECT category.key AS category, one.id AS case_id, owner_id, state, sort_at, report_count, json_object('target_type', target_type,
    'target_id', target_id, 'illegal_count', illegal_count, 'categories', json(categories), 'first_reported_at', first_reported_at,
    'last_reported_at', last_reported_at, 'decision', json(decision), 'appeal', json(appeal)) AS shown
  FROM cases AS one CROSS JOIN json_each(seen) AS category WHERE owner_id IN ${LISTED}`
const kept = `SELECT category, case_id, owner_id, state, sort_at, report_count, shown FROM case_categories
  WHERE case_id IN (SELECT id FROM cases WHERE owner_id IN ${LISTED})`
const MISFILED = `SELECT * FROM (${categoriesOf}) EXCEPT SELECT * FROM (${kept})`
const SUPERFLUOUS = `SELECT * FROM (${kept}) EXCEPT SELECT * FROM (${categoriesOf})`

/**
 * SQL: the assets and files with a measure, and those of cases (their ids are the second parameter), with their measures: of open
 * partitions, not being removed.
 */
const thingsIn = (name: string) => {
  const isThere = (
    affected: string,
  ) => `thing.purging = 0 AND thing.created_at > coalesce((SELECT max(until) FROM erasures WHERE user_id = thing.owner_id), -1)
    AND coalesce((SELECT state FROM partitions WHERE partition = substr(thing.id, 21, 3)), '${name === FIRST ? 'open' : 'gone'}')
      IN ('open', 'frozen')
    AND (thing.id IN (SELECT value FROM json_each(?2)) OR (${affected} measure.id IS NOT NULL) AND thing.owner_id IN ${LISTED})`
  const measured = (kind: string) =>
    `LEFT JOIN measures AS measure ON measure.kind = '${kind}' AND measure.id = thing.id`
  const columns = 'measure.sequence, measure.decision_id, measure.action, measure.rating AS measured_rating'
  return `SELECT 'asset' AS type, thing.id, blocked, unlisted, thing.rating, rating_locked, ${columns}
      FROM game_assets AS thing ${measured('assets')} WHERE ${isThere('unlisted = 1 OR rating_locked IS NOT NULL OR')}
    UNION ALL SELECT 'file', thing.id, blocked, NULL, NULL, NULL, ${columns} FROM files AS thing ${measured('files')} WHERE ${isThere('')}
      AND NOT EXISTS (WITH RECURSIVE above (id) AS (SELECT thing.parent_id UNION SELECT files.parent_id FROM above JOIN files USING (id))
        SELECT 1 FROM above JOIN files USING (id) WHERE files.purging = 1)`
}

const MEASURES = ['rate', 'unlist', 'block']

/**
 * The invariants of the cases about the things of users, in JSON: counts equal the reports, what a case shows equals its decision and its appeal, and
 * the thing has the measure of its case, unless that is on its way.
 */
export async function expectCasesSound(users: string): Promise<void> {
  const of = (text: string) => env.DB.prepare(text).bind(users)
  const [cases, miscounted, torn, tornAppeals, last, appeals, misfiled, superfluous] =
    await env.DB.batch<never>(
      [CASES, MISCOUNTED, TORN, TORN_APPEALS, LAST, APPEALS, MISFILED, SUPERFLUOUS].map(of),
    )
  expect(miscounted?.results, 'cases count their reports').toEqual([])
  const contradictions = [torn?.results, tornAppeals?.results]
  expect(contradictions, 'cases agree with decisions, appeals and reports').toEqual([[], []])
  expect([misfiled?.results, superfluous?.results], 'the queue of each category has its cases').toEqual([
    [],
    [],
  ])
  const found: CaseOfRows[] = cases?.results ?? []
  expectShown(found, last?.results ?? [], appeals?.results ?? [])
  const ids = JSON.stringify(found.map(({ target_id }) => target_id))
  const things = await Promise.all(
    everyDatabase.map((database, place) =>
      database
        .prepare(thingsIn(databaseNames[place] ?? FIRST))
        .bind(users, ids)
        .all<ThingOfRows>(),
    ),
  )
  expectMeasured(
    found,
    things.flatMap(({ results }) => results),
  )
}

type Shown = Record<string, string | number | null>

function expectShown(cases: CaseOfRows[], last: Shown[], appeals: Shown[]): void {
  for (const { id, decision, appeal } of cases) {
    const made = last.find(({ case_id }) => case_id === id)
    expectCopy(decision, made, [
      'case_id',
      'sequence',
      'round',
      'first_reported_at',
      'key_hash',
      'request_hash',
    ])
    const against = appeals.find(({ decision_id }) => made !== undefined && decision_id === made.id)
    expectCopy(appeal, against, ['case_id', 'user_id', 'decided_by'])
  }
}

/** Fails unless `json` is the row without some columns; null without one. */
function expectCopy(json: string | null, row: Shown | undefined, without: string[]): void {
  const copied = row && Object.entries(row).filter(([name]) => !without.includes(name))
  expect(JSON.parse(json ?? 'null'), 'a case shows its last decision and the appeal against it').toEqual(
    copied ? Object.fromEntries(copied) : null,
  )
}

function expectMeasured(cases: CaseOfRows[], things: ThingOfRows[]): void {
  const about = new Map(cases.map((one) => [`${one.target_type} ${one.target_id}`, one]))
  for (const thing of things) {
    const { type, id, sequence, decision_id, action, measured_rating } = thing
    const one = about.get(`${type} ${id}`)
    if (sequence) expect(one, `the measure of ${type} ${id} has its case`).toBeDefined()
    if (one && one.applied === one.sequence && one.sequence > 0)
      expect({ sequence, decision_id, action, measured_rating }, `the measure of ${type} ${id}`).toEqual(
        expectedMeasure(one, thing),
      )
    expectEffects(thing)
  }
}

/** The measure that a thing has of a case that waits for nothing. */
function expectedMeasure(
  { sequence, decision_id, decision }: CaseOfRows,
  { sequence: found }: ThingOfRows,
): Pick<ThingOfRows, 'sequence' | 'decision_id' | 'action' | 'measured_rating'> {
  const { action, rating }: { action: string; rating: string | null } = JSON.parse(decision ?? '{}')
  const isMeasured = decision_id !== null && MEASURES.includes(action)
  // The first decision has nothing to take back.
  if (sequence === 1 && !isMeasured && found === null)
    return { sequence: null, decision_id: null, action: null, measured_rating: null }
  return {
    sequence,
    decision_id,
    action: isMeasured ? action : 'none',
    measured_rating: isMeasured ? rating : null,
  }
}

function expectEffects({ type, id, action, ...thing }: ThingOfRows): void {
  const { blocked, unlisted, rating, rating_locked, measured_rating } = thing
  // A block without a statement needs no measure.
  if (action === 'block') expect(blocked, `${type} ${id} is blocked`).toBe(1)
  if (type === 'file') return
  expect({ unlisted, rating_locked }, `the effects of the measure of ${id}`).toEqual({
    unlisted: Number(action === 'unlist'),
    rating_locked: action === 'rate' ? measured_rating : null,
  })
  const order = ['everyone', 'teen', 'mature']
  if (action === 'rate')
    expect(order.indexOf(rating ?? '')).toBeGreaterThanOrEqual(order.indexOf(measured_rating ?? ''))
}

/** Fails unless the job has left no measure and no notice of moderation undone. */
export async function expectMeasuresAtRest(): Promise<void> {
  const [pending, notices] = await env.DB.batch([
    env.DB.prepare('SELECT id, sequence, applied FROM cases WHERE applied < sequence'),
    env.DB.prepare('SELECT id, type, user_id FROM moderation_notices'),
  ])
  expect(pending?.results, 'measures on their way').toEqual([])
  expect(notices?.results, 'notices that nobody has sent').toEqual([])
}
