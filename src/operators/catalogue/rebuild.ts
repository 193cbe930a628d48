import { sql } from 'drizzle-orm'
import { type Walked, walkAssets, walkEntries } from '../../features/catalogue/compare.ts'
import { applyMarks } from '../../features/catalogue/tasks.ts'
import type { RequestContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { pooled } from '../../platform/lib/pool.ts'
import type { CatalogueOverview, CatalogueRebuilt, RebuildCatalogue } from './schema.ts'

/** Reads how many entries there are, and how many are to be written. @throws UNAVAILABLE */
export async function readCatalogue({ databases }: RequestContext): Promise<CatalogueOverview> {
  const [[counted]] = await databases.catalogue.send([
    sql<{ entries: number }>`SELECT count(*) AS entries FROM catalogue_entries WHERE removed_at IS NULL`,
  ])
  const marks = await pooled(databases.names, async (database) => {
    const [[row]] = await databases
      .unfenced(database)
      .send([sql<{ waiting: number }>`SELECT count(*) AS waiting FROM catalogue_marks`])
    return { database, waiting: row?.waiting ?? 0 }
  })
  return { database: databases.catalogueName, entries: counted?.entries ?? 0, marks }
}

/**
 * Rebuilds the next part of the catalogue, while the service runs: marks assets, whether their entries differ or not, and applies
 * marks of the database. Call it with the returned `next` as `after` until `next` is null.
 *
 * @throws UNAVAILABLE, also while partitions of the database are being moved; VALIDATION_FAILED for a wrong database or position
 */
export async function rebuildPart(
  ctx: RequestContext,
  { of, database, after = null }: RebuildCatalogue,
): Promise<CatalogueRebuilt> {
  if (!ctx.databases.names.includes(database)) throw invalid('/database', 'must be the binding of a database')
  if (after !== null && !(of === 'assets' ? isId(after) : /^\d{1,15}$/.test(after)))
    throw invalid('/after', 'must be the `next` of the request before')
  const { compared, wrong, next } = await walkOn(ctx, of, database, after)
  const applied = await applyMarks(ctx, database)
  return { compared, marked: wrong.length, applied, next }
}

async function walkOn(
  ctx: RequestContext,
  of: RebuildCatalogue['of'],
  database: string,
  after: string | null,
): Promise<Walked> {
  if (of === 'assets') return walkAssets(ctx, database, { after, marks: 'all' })
  if (of === 'entries') return walkEntries(ctx, { after })
  return { compared: 0, wrong: [], next: null }
}

function invalid(path: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: `${path.slice(1)}: ${message}.`,
    errors: [{ in: 'body', path, message }],
  })
}
