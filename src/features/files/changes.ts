import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import type { ExpectedRevisions } from '../../platform/db/revision.ts'
import type { files } from '../../platform/db/schema.ts'
import type { Slot, Values } from '../../platform/db/sql.ts'
import type { EditFile } from './schema.ts'

/** The changes to an item other than a move. */
export type OtherChanges = Omit<EditFile, 'parent_id'>

/** The slots that the statements of an edit and of a move have in common. */
export type EditSlot = Slot<'id' | 'user_id' | 'now' | 'name' | 'is_public' | 'expected'>

/** The values of an `EditSlot`. */
export function valuesOf(
  ctx: RequestContext,
  id: string,
  { name, is_public }: OtherChanges,
  expected: ExpectedRevisions,
) {
  return {
    id,
    user_id: ctx.user_id,
    now: seconds(ctx),
    name,
    is_public: is_public === undefined ? undefined : Number(is_public),
    expected: expected ? JSON.stringify(expected) : undefined,
    // `satisfies` makes the compiler reject a change without its value here.
  } satisfies Record<keyof OtherChanges, unknown> & Record<string, unknown>
}

/** The columns that a change sets. */
export function newValues({ name, is_public }: OtherChanges, slot: EditSlot) {
  return {
    name: name === undefined ? undefined : slot('name'),
    is_public: is_public === undefined ? undefined : slot('is_public'),
    revision: sql`revision + 1`,
    updated_at: updatedAt(slot('now')),
  } satisfies Partial<Values<typeof files>> & Record<keyof OtherChanges, unknown>
}
