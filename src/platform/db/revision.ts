import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../errors.ts'

/** The revisions of a row that a write may start from; null: any. */
export type ExpectedRevisions = number[] | null

/** SQL: whether a row with a revision is at an expected one: one of a list, or of a JSON list in SQL. */
export function revisionIn(expected: ExpectedRevisions | SQL): SQL {
  if (expected === null) return sql`1`
  const list = Array.isArray(expected) ? JSON.stringify(expected) : expected
  return sql`revision IN (SELECT value FROM json_each(${list}))`
}

/** PRECONDITION_FAILED when a row, named by `thing` in its detail, is at no expected revision; undefined otherwise. */
export function revisionError(
  { revision }: { revision: number },
  expected: ExpectedRevisions,
  thing: 'item' | 'asset',
): ApiError | undefined {
  return expected && !expected.includes(revision)
    ? new ApiError('PRECONDITION_FAILED', { detail: `Read the ${thing} again and decide anew.` })
    : undefined
}
