import { sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../../platform/context.ts'
import { catalogueHiddenOwners } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { differs, type EntryVersion, entryVersion, withAssets, writeAnew } from './compare.ts'

/** How long the job waits before it checks a hidden owner, and between two checks, in seconds. */
const CHECK_SECONDS = 10 * MINUTE

/** The most entries of an owner that one step compares. */
const MAX_ENTRIES = 200

const hide = statement((p: Params<'owner_id' | 'until' | 'hidden_at'>) => {
  const hidden = { owner_id: p.owner_id, until: p.until, hidden_at: p.hidden_at }
  return sql`${insert(catalogueHiddenOwners, hidden)}
    ON CONFLICT (owner_id) DO UPDATE SET until = max(until, excluded.until), hidden_at = excluded.hidden_at`
})

/**
 * Hides from pages everything that an owner made by `until` (Unix seconds). Call it before the owner is erased, so that an
 * erasure is refused while the catalogue does not answer.
 *
 * @throws UNAVAILABLE
 */
export async function hideOwner(
  ctx: Pick<RequestContext, 'databases' | 'now_ms'>,
  owner_id: string,
  until: number,
): Promise<void> {
  await ctx.databases.catalogue.send([hide({ owner_id, until, hidden_at: seconds(ctx) })])
}

type HiddenOwner = typeof catalogueHiddenOwners.$inferSelect

/**
 * Checks the owner who has been hidden for the longest time. Ends the hiding once the erasure has ended and the erased entries
 * are gone, or if the erasure was never made. Returns how many owners it checked, 0 or 1.
 */
export async function checkHiddenOwner(ctx: JobContext): Promise<number> {
  const { databases } = ctx
  const { catalogue } = databases
  const now = seconds(ctx)
  const [[hidden]] = await catalogue.send([
    sql<HiddenOwner>`SELECT owner_id, until, hidden_at FROM catalogue_hidden_owners
      WHERE hidden_at <= ${now - CHECK_SECONDS} ORDER BY hidden_at LIMIT 1`,
  ])
  if (!hidden) return 0
  const { owner_id, until, hidden_at } = hidden
  const home = databases.home(owner_id)
  home.usePrimary()
  const erasures = await home.read(
    sql`SELECT until FROM erasures WHERE user_id = ${owner_id} AND is_guest = 0`,
  )
  const isOver = erasures.length === 0 && !(await hasDifferent(ctx, owner_id, until))
  // Another erasure may have begun meanwhile.
  const isSame = sql`owner_id = ${owner_id} AND until = ${until} AND hidden_at = ${hidden_at}`
  await catalogue.send([
    isOver
      ? sql`DELETE FROM catalogue_hidden_owners WHERE ${isSame}`
      : sql`UPDATE catalogue_hidden_owners SET hidden_at = ${now} WHERE ${isSame}`,
  ])
  return 1
}

/** Whether some of an owner's hidden entries differ from their assets. Marks the assets of these entries. */
async function hasDifferent(ctx: JobContext, owner_id: string, until: number): Promise<boolean> {
  const [entries] = await ctx.databases.catalogue.send([
    sql<EntryVersion>`SELECT ${entryVersion} FROM (
        SELECT rowid AS position FROM catalogue_by_published WHERE catalogue_by_published MATCH '"@' || hex(${owner_id}) || '"'
      ) CROSS JOIN catalogue_entries ON number = position & 4294967295
      WHERE created_at <= ${until} LIMIT ${MAX_ENTRIES}`,
  ])
  const compared = await withAssets(ctx, entries)
  const wrong = compared.filter((one) => one.asset?.is_marked || differs(one))
  // An erasure leaves none of these assets. If each entry here shows its asset as it is, the owner was never erased, and the other
  // entries are right, too.
  await writeAnew(ctx, wrong)
  return wrong.length > 0
}
