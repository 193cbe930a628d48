import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../errors.ts'

/** The revisions of a row that a write may start from; null: any. */
export type ExpectedRevisions = number[] | null

/** The value of the parameter of `revisionIn`: a JSON list; null allows any revision. */
export function listOfRevisions(expected: ExpectedRevisions): string | null {
  return expected && JSON.stringify(expected)
}

/** SQL: whether a row with a revision is at an expected one: one of a JSON list (`listOfRevisions`), or any. */
export function revisionIn(expected: SQL): SQL {
  return sql`(${expected} IS NULL OR revision IN (SELECT value FROM json_each(${expected})))`
}

/** PRECONDITION_FAILED when a row is at no expected revision; undefined otherwise. The error's detail calls the row by its `noun`. */
export function revisionError(
  { revision }: { revision: number },
  expected: ExpectedRevisions,
  noun: 'item' | 'asset',
): ApiError | undefined {
  return expected && !expected.includes(revision)
    ? new ApiError('PRECONDITION_FAILED', { detail: `Read the ${noun} again and decide anew.` })
    : undefined
}
